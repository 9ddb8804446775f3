-- Provisioning grants what a callback needs. A proposal is no grant: it may name functions that are service_user's to call already.
create or replace function service_private.callback_changes(collections_before service.collections[])
  returns table (kind text, verdict text, collection text, property text, detail text, remedy text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
    select 'grant-callback', 'needs-migration', c.collection, null::text,
      format('service_user may not call %s, its %s callback.', c.oid::regprocedure, c.hook),
      format('grant usage on schema %I to service_user; grant execute on function %s to service_user;', c.function_schema,
        c.oid::regprocedure)
    from service_private.callbacks() c
    where c.oid is not null
      and not (has_schema_privilege('service_user', c.function_schema, 'usage')
        and has_function_privilege('service_user', c.oid, 'execute'))
      and not exists (
        select from unnest(collections_before) b
        join service.collections n on n.slug = b.slug
        where b.slug = c.collection and b.callbacks -> c.hook = n.callbacks -> c.hook);
end $$;

comment on function service_private.callback_changes(service.collections[]) is
  'The callbacks that no collection had in these rows and that service_user may not call, as rows of service_private.catalog_changes.';
