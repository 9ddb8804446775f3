create or replace function service_private.open_tables(schema text) returns setof text
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select c.relname::text
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = open_tables.schema and c.relkind <> 'v' and not c.relrowsecurity and (n.nspname, c.relname) in (
    select s.schema_name, s.table_name from service.collections s
    union all
    select r.junction_schema, r.junction_table from service.relations r)
  order by c.relname collate "C";
end;

comment on function service_private.open_tables(text) is
  'The tables that SERVICE_UNPROTECTED_TABLES=serve serves without row security: every row of them is for every caller.';
