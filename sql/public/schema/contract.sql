create or replace function service.contract() returns json
  language sql stable set jit = off
begin atomic
  with served as materialized (
    select c.slug, jsonb_build_object('name', c.name, 'singularName', c.singular_name, 'schema', c.schema_name, 'table', c.table_name)
      || coalesce(c.definition, service_private.introspected_definition(c)) as definition
    from service.collections c
    where c.exposed
  ), slugs as materialized (
    select coalesce(array_agg(s.slug order by s.slug collate "C"), '{}') as list from served s
  )
  select json_build_object(
    'schemaVersion', a.schema_version,
    'collections', coalesce((
      select json_agg(service_private.contract_part(s.definition, l.list) order by s.slug collate "C") from served s), '[]'),
    'collectionSlugs', to_json(l.list),
    'catalog', service_private.catalog_document() -> 'collections',
    'openSlugs', coalesce((
      select json_agg(c.slug order by c.slug collate "C")
      from service.collections c
      join pg_class r on r.oid = to_regclass(format('%I.%I', c.schema_name, c.table_name)) and r.relkind in ('r', 'p')
      where c.exposed and not service_private.hides_rows(r.oid)), '[]'),
    'functions', coalesce((
      select json_agg(e.document order by e.name collate "C") from service_private.endpoints() e where e.problem is null), '[]'))
  from service.catalog a
  cross join slugs l;
end;

comment on function service.contract() is
  'The whole contract, for generators of clients: {schemaVersion, collections, collectionSlugs, catalog, openSlugs, functions}, by slug. '
  'A collection is in the form of its file, with its labels and its table, without rules and callbacks, and its targets are '
  '{"__collectionRef": slug}. A table without a file is shown as the file that would describe it. Fields that the API never shows are '
  'included. catalog: the same collections as the API serves them, with the type and nullability of each property '
  '(service_private.catalog_document). openSlugs: those of tables of which row security hides no row. functions: those that are '
  'served, as service_private.endpoint_document shows them. For the owner; changes nothing.';

-- Example: select service.contract() -> 'schemaVersion';
