create or replace function service_private.name_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with declared as materialized (
    select d.collection, d.name, count(*) > 1 as twice from service_private.declared_relations() d group by d.collection, d.name
  )
  select format('%s.%s', c.slug, f.key), f.problem
  from service.collections c
  cross join lateral (values
    ('slug', case when c.slug in ('collections', '_batch', 'undefined') then c.slug || ' is the name of a route'
      else service_private.reserved_problem(c.slug) end),
    ('slug', service_private.length_problem(c.slug, 'the slug')),
    ('schema', case when c.schema_name ~ '^(pg_.*|information_schema|service|service_private|graphile_migrate)$'
      then c.schema_name || ' is not for tables of a project' end),
    ('schema', service_private.length_problem(c.schema_name, 'the schema')),
    ('table', service_private.length_problem(c.table_name, 'the table'))
  ) f (key, problem)
  where c.source = 'file' and f.problem is not null
  union all
  select concat(p.collection, '.properties.', p.name, f.key), f.problem
  from (
    select p.*, lag(p.name) over (partition by p.collection, p.column_name order by p."position") as taken_by
    from service.properties p) p
  join service.collections c on c.slug = p.collection and c.source = 'file'
  cross join lateral (values
    ('', service_private.word_problem(p.name)),
    ('', service_private.length_problem(p.name, 'the name')),
    ('', service_private.reserved_problem(p.name)),
    ('', service_private.length_problem(p.attributes #>> '{column,enumType,name}', 'the enum type')),
    ('.columnName', service_private.length_problem(p.column_name, 'the column')),
    ('.columnName', case when service_private.is_system_column(p.column_name) then p.column_name
      || ' is a system column of every table' end),
    ('.columnName', case when p.column_name is not null and p.taken_by is not null
      then format('%s is the column of %s too', p.column_name, p.taken_by) end)
  ) f (key, problem)
  where f.problem is not null
  union all
  select case when c.definition -> 'properties' ? r.name
      then format('%s.properties.%s', r.collection, r.name) else format('%s.relations (%s)', r.collection, r.name) end, f.problem
  from service.relations r
  join service.collections c on c.slug = r.collection and c.source = 'file'
  cross join lateral (
    select service_private.word_problem(r.name)
    union all select service_private.length_problem(r.name, 'the name')
    union all select r.name || ' is the name of a route' where service_private.is_route(r.name)
    union all select service_private.reserved_problem(r.name)
    union all select format('two relations are named %s', r.name)
      where exists (select from declared d where d.collection = r.collection and d.name = r.name and d.twice)
    union all select format('a property is named %s too', r.name)
      from service.properties p
      where p.collection = r.collection and p.name = r.name
        and not (r.kind = 'belongsTo' and p.column_name = any (r.local_columns))
  ) f (problem)
  where f.problem is not null;
end $$;

comment on function service_private.name_problems() is
  'Names in definitions that cannot be used: everything that would be made must have a name that PostgreSQL takes whole, that a query can '
  'use, and that is unique in the collection.';
