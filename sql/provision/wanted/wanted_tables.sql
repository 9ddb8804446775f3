-- A junction that is a collection as well is the collection's. The name of a view or a foreign table is not ours, and
-- a read-only table is made by others.
create or replace function service_private.wanted_tables() returns service_private.wanted_table[]
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return array(
  with declared as (
    select c.schema_name, c.table_name, c.slug, c.read_only, array_agg(p.column_name order by k.n) as key,
      case when c.definition -> 'softDelete' = 'true' then 'deletedAt' else c.definition #>> '{softDelete,field}' end as stamp
    from service.collections c
    cross join unnest(c.key) with ordinality k (name, n)
    join service.properties p on p.collection = c.slug and p.name = k.name
    where c.source = 'file'
    group by c.slug
  ), linked as (
    select distinct on (r.junction_schema, r.junction_table)
      r.junction_schema, r.junction_table, r.junction_source || r.junction_target as key
    from service.relations r
    join service.collections c on c.slug = r.collection and c.source = 'file'
    where r.kind = 'manyToMany'
      and not exists (select from service.collections o where o.schema_name = r.junction_schema and o.table_name = r.junction_table)
    order by r.junction_schema, r.junction_table, r.collection, r.name
  ), wanted as (
    select d.schema_name, d.table_name, d.slug, d.key, d.read_only, p.column_name as soft_delete
    from declared d
    left join service.properties p on p.collection = d.slug and p.name = d.stamp
    union all
    select l.junction_schema, l.junction_table, null, l.key, false, null from linked l
  )
  select row(w.schema_name, w.table_name, w.slug, w.key, w.read_only, w.soft_delete, r.oid)::service_private.wanted_table
  from wanted w
  left join pg_namespace n on n.nspname = w.schema_name
  left join pg_class r on r.relnamespace = n.oid and r.relname = w.table_name
  where (r.oid is null and not w.read_only) or r.relkind in ('r', 'p'));
end $$;

comment on function service_private.wanted_tables() is 'The tables that collection files ask for.';
