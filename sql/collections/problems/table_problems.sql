-- Tables, types and indexes of a schema share one space of names.
create or replace function service_private.table_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with claim as (
    select c.slug as path, c.schema_name, c.table_name as name, 'the table of ' || c.slug as what, 1 as rank, c.slug as by
    from service.collections c
    where c.source = 'file'
    union all
    select format('%s.%s.through', r.collection, r.name), r.junction_schema, r.junction_table, 'the junction table ' || r.junction_table, 2,
      format('%s.%s', r.collection, r.name)
    from service.relations r
    where r.kind = 'manyToMany'
    union all
    select format('%s.properties.%s', p.collection, p.name), p.attributes #>> '{column,enumType,schema}',
      p.attributes #>> '{column,enumType,name}', format('the enum type of %s.%s', p.collection, p.name), 3, p.collection || '.' || p.name
    from service.properties p
    where p.attributes #> '{column,enumType}' <> 'null'
    union all
    select format('%s.properties.%s', p.collection, p.name), c.schema_name, format('%s_%s_key', c.table_name, p.column_name),
      format('the unique index of %s.%s', p.collection, p.name), 4, p.collection || '.' || p.name
    from service.properties p
    join service.collections c on c.slug = p.collection and c.source = 'file'
    where (p.attributes #> '{column,unique}')::boolean
  ), owned as (
    select c.*, first_value(c.what) over (partition by c.schema_name, c.name order by c.rank, c.by) as owner from claim c
  )
  select o.path, format('%s.%s would be %s, and is %s', o.schema_name, o.name, o.what, o.owner)
  from owned o
  where o.what <> o.owner
  union all
  select c.path, format('%s.%s belongs to the extension %s', c.schema_name, c.name, x.extname)
  from claim c
  join pg_namespace n on n.nspname = c.schema_name
  join pg_class r on r.relnamespace = n.oid and r.relname = c.name
  join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = r.oid and d.objsubid = 0 and d.deptype = 'e'
  join pg_extension x on x.oid = d.refobjid
  where c.rank <= 2
  union all
  select format('%s.%s.through', r.collection, r.name), f.problem
  from service.relations r
  cross join lateral (
    select service_private.length_problem(r.junction_table, 'the junction table')
    union all
    select service_private.length_problem(c.name, 'the column') from unnest(r.junction_source || r.junction_target) c (name)) f (problem)
  where r.kind = 'manyToMany' and f.problem is not null;
end $$;

comment on function service_private.table_problems() is
  'The tables, types and indexes that definitions ask for and whose names are another''s already, and tables that are an '
  'extension''s.';
