create or replace function service_private.condition_problems() returns table (path text, problem text)
  language plpgsql volatile as $$
begin
  return query
  with node as materialized (
    select n.*, n.collection in (select c.slug from service.collections c) as is_known,
      case n.kind when 'field' then n.collection when 'outerField' then n.checked_collection end as collection_of_field
    from service_private.condition_nodes() n
  ), missing as materialized (
    select n.path, case when n.collection_of_field is null then
        'stands inside of existsIn only, for the row that the rule judges; field is that row here'
      else format('%s has no property %s with a column', n.collection_of_field, n.node ->> 'name') end as problem
    from node n
    where n.kind = 'outerField' and service_private.field_column(n.collection_of_field, n.node ->> 'name') is null
      or n.kind = 'field' and n.is_known and service_private.field_column(n.collection, n.node ->> 'name') is null
  ), checked as (
    select service_private.rule_path(c.definition, c.slug, r.n) || '.check' as path, r.rule
    from service.collections c
    cross join jsonb_path_query(c.definition, '$.securityRules[*]') with ordinality r (rule, n)
    where r.rule ? 'check'
  )
  select * from missing
  union all
  select c.path, 'stands without condition' from checked c where not c.rule ? 'condition'
  union all
  select c.path, string_agg(o.operation, ' and ' order by o.operation desc) || ' writes no row that could be checked'
  from checked c
  cross join lateral service_private.rule_operations(c.rule) o
  group by c.path
  having bool_and(o.operation in ('select', 'delete'))
  union all
  select n.path, 'is nested deeper than 32 conditions' from node n where n.depth = 33
  union all
  select n.root, format('has %s conditions and operands; 1000 are the most', count(*)) from node n group by n.root having count(*) > 1000
  union all
  select n.path || '.collection', format('there is no collection %s', n.node -> 'collection')
  from node n
  where n.kind = 'existsIn' and n.node ->> 'collection' not in (select c.slug from service.collections c)
  union all
  select n.path, format('%s is a name that existsIn gives to rows; give the table another one', c.table_name)
  from node n
  join service.collections c on c.slug = n.collection
  where n.kind = 'existsIn' and n.checked_collection is null and c.table_name ~ '^_ex[0-9]+$'
  union all
  select n.path, f.fault
  from node n
  cross join lateral (
    select service_private.comparison_fault(n.node, n.collection, n.checked_collection) as fault where n.kind = 'compare' offset 0) f
  where f.fault is not null and n.is_known
    and n.path not in (select regexp_replace(m.path, '[.](left|right)$', '') from missing m);
end $$;

comment on function service_private.condition_problems() is
  'Missing names and impossible comparisons in the structured conditions of the catalog''s security rules, with their places.';
