create or replace function service.unmapped_tables(mapped text[]) returns text[]
  language sql stable set search_path = pg_catalog, public, pg_temp
begin atomic
  select coalesce(array_agg(t.name order by t.name), '{}')
  from (
    select c.oid::regclass::text as name, c.relname, n.nspname
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^pg_'
      and n.nspname not in ('information_schema', 'service', 'service_private')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      and not exists (select from service.collections s where (s.schema_name, s.table_name) = (n.nspname, c.relname))
      and not exists (select from service.relations r where (r.junction_schema, r.junction_table) = (n.nspname, c.relname))
  ) t
  where not coalesce(t.relname = any (unmapped_tables.mapped) or t.name = any (unmapped_tables.mapped), false);
end;

comment on function service.unmapped_tables(text[]) is
  'The tables that no collection and no link between collections stands for, but for extensions'' and those named here; with their schema '
  'where it is not public.';

-- Example: select service.unmapped_tables('{products,orders}');
