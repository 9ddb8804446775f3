-- A junction is no collection, so no other check notices when it is dropped or altered.
create or replace function service_private.require_resolved(relation service.relations) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  missing text := (
    select string_agg(format('%I.%I.%I', c.schema_name, c.table_name, c.name), ', ')
    from service_private.linking_columns(relation) c
    where not exists (
      select from pg_attribute a
      where a.attrelid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and a.attname = c.name and not a.attisdropped));
begin
  if missing is not null then
    perform service.fail(500, 'RELATION_MISCONFIGURED', format('%s.%s needs %s.', relation.collection, relation.name, missing),
      jsonb_build_object('collection', relation.collection, 'relation', relation.name));
  end if;
end $$;

comment on function service_private.require_resolved(service.relations) is
  'Nothing, or GW500 RELATION_MISCONFIGURED {collection, relation} when a table between the two sides of a relation lacks one of its '
  'columns, or is gone.';
