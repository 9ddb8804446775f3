-- Judged as it will stand in a statement: with the columns in the place of {field}, whose names may hold anything.
create or replace function service.expression_problems() returns table (path text, problem text)
  language sql volatile set search_path = pg_catalog, pg_temp
begin atomic
  with expression as (
    select service.rule_path(c.definition, c.slug, r.n) || '.' || k.key as path,
      service.rule_sql(c.slug, quote_ident(c.table_name), r.rule ->> k.key) as expression,
      c.slug, service.unknown_fields(c.slug, r.rule ->> k.key) as unknown
    from service.collections c
    cross join jsonb_path_query(c.definition, '$.securityRules[*]') with ordinality r (rule, n)
    cross join unnest(array['using', 'withCheck']) k (key)
    where r.rule ->> k.key is not null
    union all
    select n.path || '.sql', service.rule_sql(c.slug, quote_ident(c.table_name), n.node ->> 'sql'),
      c.slug, service.unknown_fields(c.slug, n.node ->> 'sql')
    from service.condition_nodes() n
    join service.collections c on c.slug = n.collection
    where n.kind = 'raw'
    union all
    select format('%s.properties.%s.%s', p.collection, p.name, case when p.attributes ? 'defaultValue' then 'defaultValue' else 'isId' end),
      p.attributes #>> '{column,default}', null, null
    from service.properties p
    union all
    select format('%s.%s.through.properties.%s.defaultValue', r.collection, r.name, e.pivot ->> 'name'),
      e.pivot #>> '{attributes,column,default}', null, null
    from service.relations r
    cross join jsonb_path_query(r.pivot, '$[*]') e (pivot)
  )
  select e.path, format('{%s} is no field of %s; it has %s', array_to_string(e.unknown, '}, {'), e.slug, (
    select string_agg(p.name, ', ' order by p.position) from service.properties p where p.collection = e.slug))
  from expression e
  where e.unknown is not null
  union all
  select e.path, 'must be one SQL expression: ' || f.fault
  from expression e
  cross join lateral (select service.expression_fault(e.expression) as fault offset 0) f
  where e.expression is not null and e.unknown is null and f.fault is not null
  union all
  select * from service.condition_problems();
end;

comment on function service.expression_problems() is
  'The SQL of the catalog''s definitions that is not exactly one expression, or names a {field} that is not there, with the place '
  'where it stands: using and withCheck of rules, and defaults; and service.condition_problems().';

revoke all on function service.expression_problems() from public;
