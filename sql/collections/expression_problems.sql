-- Judged as it will stand in a statement: with the columns in the place of {field}, whose names may hold anything.
create or replace function service_private.expression_problems() returns table (path text, problem text)
  language sql volatile set search_path = pg_catalog, pg_temp
begin atomic
  with expression as (
    select service_private.rule_path(c.definition, c.slug, r.n) || '.' || k.key as path,
      service_private.rule_sql(c.slug, quote_ident(c.table_name), r.rule ->> k.key) as expression,
      c.slug, service_private.unknown_fields(c.slug, r.rule ->> k.key) as unknown, null as computed_type
    from service.collections c
    cross join jsonb_path_query(c.definition, '$.securityRules[*]') with ordinality r (rule, n)
    cross join unnest(array['using', 'withCheck']) k (key)
    where r.rule ->> k.key is not null
    union all
    select n.path || '.sql', service_private.rule_sql(c.slug, quote_ident(c.table_name), n.node ->> 'sql'),
      c.slug, service_private.unknown_fields(c.slug, n.node ->> 'sql'), null
    from service_private.condition_nodes() n
    join service.collections c on c.slug = n.collection
    where n.kind = 'raw'
    union all
    select format('%s.properties.%s.%s', p.collection, p.name, case when p.attributes ? 'defaultValue' then 'defaultValue' else 'isId' end),
      p.attributes #>> '{column,default}', null, null,
      case when service_private.is_computed(p.attributes) then p.attributes #>> '{column,type}' end
    from service.properties p
    union all
    select format('%s.%s.through.properties.%s.defaultValue', r.collection, r.name, e.pivot ->> 'name'),
      e.pivot #>> '{attributes,column,default}', null, null, null
    from service.relations r
    cross join jsonb_path_query(r.pivot, '$[*]') e (pivot)
  )
  select e.path, format('{%s} is no field of %s; it has %s', array_to_string(e.unknown, '}, {'), e.slug, (
    select string_agg(p.name, ', ' order by p.position) from service.properties p where p.collection = e.slug))
  from expression e
  where e.unknown is not null
  union all
  select e.path, coalesce('must be one SQL expression: ' || f.fault, 'cannot be a default, tried as service_user: ' || d.fault)
  from expression e
  cross join lateral (select service_private.expression_fault(e.expression) as fault offset 0) f
  cross join lateral (
    select case when f.fault is null and e.computed_type is not null
      then service_private.default_fault(e.expression, e.computed_type) end as fault
    offset 0) d
  where e.expression is not null and e.unknown is null and (f.fault is not null or d.fault is not null)
  union all
  select * from service_private.condition_problems();
end;

comment on function service_private.expression_problems() is
  'The SQL of the catalog''s definitions that is not exactly one expression, that names a {field} which is not there, or that is a default '
  'which service_user could not use, with the place where it stands: using and withCheck of rules, and defaults; and '
  'service_private.condition_problems().';
