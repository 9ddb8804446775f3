create or replace function service_private.index_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with declared as materialized (
    select i.*, coalesce(i.index ->> 'using', 'btree') as method, coalesce((i.index -> 'unique')::boolean, false) as is_unique
    from service_private.declared_indexes() i
  ), comparison as (
    select i.*, i.path || '.where' as at, i.index -> 'where' as comparison
    from declared i
    where i.index -> 'where' ? 'op'
    union all
    select i.*, format('%s.where.and[%s]', i.path, e.n - 1), e.comparison
    from declared i
    cross join jsonb_array_elements(i.index #> '{where,and}') with ordinality e (comparison, n)
  ), named as (
    select i.collection, format('%s.on[%s]', i.path, e.n - 1) as path,
      case jsonb_typeof(e.key) when 'object' then e.key ->> 'prop' else e.key #>> '{}' end as name
    from declared i
    cross join jsonb_array_elements(i.index -> 'on') with ordinality e (key, n)
    union all
    select i.collection, format('%s.include[%s]', i.path, e.n - 1), e.name
    from declared i
    cross join jsonb_array_elements_text(i.index -> 'include') with ordinality e (name, n)
    union all
    select c.collection, c.at || '.prop', c.comparison ->> 'prop' from comparison c
  )
  select n.path, format('%s has no property %s with a column', n.collection, n.name)
  from named n
  where service_private.property_column(n.collection, n.name) is null and not service_private.is_broken(n.collection, n.name)
  union all
  select c.at || '.value', case when c.comparison ->> 'op' = 'in'
    and jsonb_array_length(service_private.listed(c.comparison -> 'value')) = 0
    then 'must be a list of values' else 'must be a text, a number or a boolean' end
  from comparison c
  where c.comparison ->> 'op' not like 'is %' and not service_private.is_comparable_value(c.comparison)
  union all
  select i.path || '.using', i.method || ' knows no direction, nulls, unique or include'
  from declared i
  where i.method <> 'btree' and (i.is_unique or jsonb_array_length(coalesce(i.index -> 'include', '[]')) > 0
    or i.index @? '$.on[*] ? (exists(@.direction) || exists(@.nulls))')
  union all
  select i.path || '.on', 'names a column twice'
  from declared i
  where (select count(distinct c) < count(*) from unnest(i.columns) c)
  union all
  select i.path, 'a single unique property says validation.unique'
  from declared i
  where cardinality(i.columns) = 1 and not i.index ? 'where' and i.is_unique
  union all
  select i.path, 'the primary key has its index'
  from declared i
  where cardinality(i.columns) = 1 and not i.index ? 'where' and i.method = 'btree'
    and i.columns[1] = service_private.key_column(i.collection)
  union all
  select i.path, 'is the same as ' || t.path
  from declared i
  join lateral (
    select t.path
    from declared t
    where t.collection = i.collection and t.n < i.n and t.index - 'reason' = i.index - 'reason'
    order by t.n desc
    limit 1) t on true;
end $$;

comment on function service_private.index_problems() is 'Problems of the indexes of definitions.';
