-- A junction is no collection, so nothing else notices when somebody drops or alters it.
create or replace function service.require_resolved(relation service.relations) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  missing text[] := array(
    select c.name
    from unnest(relation.junction_source || relation.junction_target
      || array(select p ->> 'columnName' from jsonb_array_elements(coalesce(relation.pivot, '[]')) p)) c (name)
    where not exists (
      select from pg_attribute a
      where a.attrelid = to_regclass(service.junction_name(relation))
        and a.attname = c.name and not a.attisdropped));
begin
  if relation.junction_table is not null and missing <> '{}' then
    perform service.fail(500, 'RELATION_MISCONFIGURED',
      format('The junction of %s.%s, %I.%I, has no %s.', relation.collection, relation.name, relation.junction_schema,
        relation.junction_table, array_to_string(missing, ', ')),
      jsonb_build_object('collection', relation.collection, 'relation', relation.name));
  end if;
end $$;

comment on function service.require_resolved(service.relations) is
  'Nothing, or GW500 RELATION_MISCONFIGURED {collection, relation} when the junction of a relation lacks one of its columns, or is gone.';

revoke all on function service.require_resolved(service.relations) from public;
