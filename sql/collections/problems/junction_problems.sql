create or replace function service_private.junction_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with junction as materialized (
    select j.*, r.on_delete, r.on_update, r.pivot,
      row_number() over (partition by j.junction_table order by j.collection, j."position") as n,
      (select array_agg(e.pair order by e.pair)
        from (values (array[j.collection, j.source_column]), (array[j.target, j.target_column])) e (pair)) as ends
    from service_private.declared_junctions() j
    join service.relations r on r.collection = j.collection and r.name = j.name
  ), own as (
    select j.*, e.pivot ->> 'name' as property, e.pivot ->> 'columnName' as column_name, e.pivot -> 'notNull' as not_null,
      e.pivot #> '{attributes,column,type}' as type, format('%s.through.properties.%s', j.path, e.pivot ->> 'name') as own_path
    from junction j
    cross join jsonb_array_elements(j.pivot) e (pivot)
  )
  select j.path, format('both columns of the junction are named %s; name them in through', j.source_column)
  from junction j
  where j.source_column = j.target_column
  union all
  select format('%s.%s', j.path, a.key), 'the columns of a junction are its key and cannot be null'
  from junction j
  cross join lateral (values ('onDelete', j.on_delete), ('onUpdate', j.on_update)) a (key, action)
  where a.action = 'set null'
  union all
  select j.path, format('its junction %s is also that of %s, with other columns; name another table in through', j.junction_table, f.path)
  from junction j
  join junction f on f.junction_table = j.junction_table and f.n = 1
  where j.ends <> f.ends
  union all
  select j.path, format('its junction %s is also that of another relation of the same direction; name another table in through',
    j.junction_table)
  from junction j
  where exists (select from junction o where o.junction_table = j.junction_table and o.n < j.n
    and o.collection = j.collection and o.target = j.target and o.source_column = j.source_column)
  union all
  select format('%s.through.properties.%s', j.path, e.name),
    format('a junction leads to its two ends; for a %s make it a collection of its own', service_private.property_kind(e.declared))
  from junction j
  cross join jsonb_each(j.relation #> '{through,properties}') e (name, declared)
  where service_private.property_kind(e.declared) in ('relation', 'reference')
  union all
  select f.path, f.problem
  from junction j
  cross join jsonb_each(j.relation #> '{through,properties}') e (name, declared)
  cross join lateral (
    select * from service_private.column_problems(e.declared, format('%s.through.properties.%s', j.path, e.name), false,
      'what stands in a junction is stored as it was sent')
    union all
    select format('%s.through.properties.%s.isId', j.path, e.name), 'the key of a junction is both its ends'
    where service_private.is_declared_key(e.declared)
    union all
    select format('%s.through.properties.%s', j.path, e.name),
      'who sees a link sees all of it; for access lists make the junction a collection of its own'
    where e.declared ?| '{access,excludeFromApi}'
      or service_private.restricted_parts(service_private.value_attributes(e.declared)) is not null) f
  where service_private.property_kind(e.declared) not in ('relation', 'reference')
  union all
  select o.own_path, format('%s is a key column of the junction', o.column_name)
  from own o
  where o.column_name in (o.source_column, o.target_column)
  union all
  select o.own_path, 'another relation declares this column otherwise'
  from own o
  where exists (select from own b where b.junction_table = o.junction_table and b.n < o.n and b.column_name = o.column_name
    and (b.type <> o.type or b.not_null <> o.not_null))
  union all
  select o.own_path, f.problem
  from own o
  cross join lateral (
    select service_private.word_problem(o.property)
    union all select service_private.length_problem(o.property, 'the name')
    union all select service_private.reserved_problem(o.property)
    union all select service_private.length_problem(o.column_name, 'the column')
    union all select service_private.length_problem(o.junction_table || '_' || o.column_name, 'the enum type')
      where o.relation #> array['through', 'properties', o.property] ? 'enum'
    union all select format('%s is a system column of every table', o.column_name) where service_private.is_system_column(o.column_name)
    union all select format('two properties have the column %s', o.column_name)
      where o.property > (select min(b.property) from own b where b.path = o.path and b.column_name = o.column_name)
  ) f (problem)
  where f.problem is not null;
end $$;

comment on function service_private.junction_problems() is
  'Problems of declared junctions and their own columns, combined from all relations over one table.';
