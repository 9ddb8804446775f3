-- When nothing has changed, nothing is written; else only the rows that differ are. Collections of files give way.
-- The tables are read by one statement, as of one moment: a second would find no columns of a table that was swapped for
-- another since the first.
create or replace function service_private.keep_tables(schema text, unprotected text, among oid[] default null)
  returns table (slug text, reason text, remedy text)
  language plpgsql volatile set jit = off as $$
#variable_conflict use_column
declare
  properties service.properties[];
  collections service.collections[];
  relations service.relations[];
  skipped service.introspected_table[];
  found text;
begin
  with f as materialized (
    select f from service.introspected_tables(keep_tables.schema, unprotected) f
  ), t as materialized (
    select array(select f from f where (f).reason is null and (among is null or (f).oid = any (among))) as tables,
      array(select f from f where (f).reason is not null) as skipped
  ), p as materialized (
    select t.tables, t.skipped, array(select p from service_private.introspected_properties(t.tables) p) as properties from t
  )
  select p.properties,
    array(select c from service_private.introspected_collections(p.tables, p.properties) c),
    array(select r from service_private.introspected_relations(p.tables, p.properties) r),
    p.skipped
  into properties, collections, relations, skipped
  from p;
  return query select s.slug, s.reason, s.remedy from unnest(skipped) s;
  found := service_private.catalog_fingerprint(collections, properties, relations);
  if found = (select c.schema_version from service.catalog c) then
    return;
  end if;
  delete from service.relations r where not exists (select from unnest(relations) n where n = r);
  delete from service.properties p where not exists (select from unnest(properties) n where n = p);
  delete from service.collections c where not exists (select from unnest(collections) n where n = c);
  insert into service.collections select * from unnest(collections) on conflict do nothing;
  insert into service.properties select * from unnest(properties) on conflict do nothing;
  insert into service.relations select * from unnest(relations) on conflict do nothing;
  update service.catalog set version = version + 1, schema_version = found;
  perform service_private.keep_file_statements();
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
end $$;

comment on function service_private.keep_tables(text, text, oid[]) is
  'Brings the catalog in line with the tables of a schema (unprotected: skip or serve those without row security), or with those of '
  'them that are named. When that changes the catalog its version moves, and gateways are notified of it on channel service_catalog. '
  'Returns what is not served, as service.introspected_tables.';
