-- As the trigger of the tenant judges a written row (service_private.tenant_body), and its policy a stored one.
create or replace function service_private.tenant_limit(
  served service.collections, operation text, stored text, changed jsonb, claims jsonb)
  returns table (part text, name text, verdict text, message text)
  language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  tenant record;
  asked text[];
begin
  select t.* into tenant from service_private.collection_tenant(served.slug) t;
  if tenant.column_name is null or (stored is null and operation <> 'create') then
    return;
  end if;
  asked := array(
    select v.verdict
    from service_private.verdicts(array[
        format('service.uid() = ''service'' or string_to_array(service.roles(), '','') && %L::text[]', tenant.bypass_roles),
        format('(%s.%I)::text in (%s)', quote_ident(served.table_name), tenant.column_name, tenant.tenants),
        case when operation = 'update' then format('%s.%I is not distinct from ($1::%s).%2$I', quote_ident(served.table_name),
          tenant.column_name, service_private.table_name(served.slug)) else 'true' end,
        format('select string_agg(q.id, '', '' order by q.id) from (select q.id from (%s) q (id) order by 1 limit 20) q', tenant.tenants)],
      service_private.tried_row(served, operation), claims, stored, changed) with ordinality v (verdict, message, n)
    order by v.n);
  part := 'tenant';
  name := tenant.field;
  verdict := (asked[1] = 'true' or (asked[2] = 'true' and asked[3] = 'true'))::text;
  message := case
    when asked[1] = 'true' then 'The caller is bound to no tenant.'
    when asked[2] = 'true' and asked[3] <> 'true' then 'A row stays with its tenant.'
    when asked[4] = 'null' then 'The caller is in no tenant.'
    else format('The caller is in %s.', asked[4]) end;
  return next;
end $$;

comment on function service_private.tenant_limit(service.collections, text, text, jsonb, jsonb) is
  'Whether the tenant of a row, as it is stored and as a request would write it, is one of the caller''s; name: the field; message: the '
  'tenants of the caller, 20 at most. No row for a collection without tenants, or where there is no row.';
