create or replace function service_private.rule_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with rule as materialized (
    select * from service_private.security_rules()
  ), policy as (
    select r.*, r.rule ->> 'name' || case when cardinality(r.operations) > 1 then '_' || o.operation else '' end as policy
    from rule r
    cross join unnest(r.operations) o (operation)
    where r.rule ? 'name'
  )
  select r.path, format('says who in %s ways: %s; one rule, one way', cardinality(r.ways), array_to_string(r.ways, ', '))
  from rule r
  where cardinality(r.ways) > 1
  union all
  select format('%s.%s', r.path, f.key), f.problem
  from rule r
  cross join lateral (values
    ('ownerField', case when r.rule ? 'ownerField' and service_private.property_column(r.collection, r.rule ->> 'ownerField') is null
        and not service_private.is_broken(r.collection, r.rule ->> 'ownerField')
      then format('%s has no property %s with a column', r.collection, r.rule ->> 'ownerField') end),
    ('using', case when r.rule ? 'withCheck' and not r.rule ? 'using' and r.operations <> '{insert}'
      then 'is missing: withCheck alone is for insert' end),
    ('withCheck', case when r.rule ? 'withCheck' and r.operations <@ '{select,delete}'
      then array_to_string(r.operations, ' and ') || ' writes no row that could be checked' end),
    ('roles', case when r.rule ? 'roles' and r.rule ->> 'mode' = 'restrictive'
      then 'cannot stand in a restrictive rule; say it in condition' end)
  ) f (key, problem)
  where f.problem is not null
  union all
  select p.path || '.name', service_private.length_problem(p.policy, 'the policy')
  from policy p
  where octet_length(p.policy) > 63
  union all
  select p.path || '.name', format('two policies are named %s', p.policy)
  from policy p
  where exists (select from policy o where o.collection = p.collection and o.policy = p.policy and o.n < p.n)
  union all
  select p.path || '.name', format('%s is a policy of the service', p.policy)
  from policy p
  join service.collections c on c.slug = p.collection
  where p.policy in (
    select c.table_name || s.suffix
    from unnest('{_default_admin,_default_self_read,_require_admin_write_insert,_require_admin_write_update,_require_admin_write_delete}'
      ::text[]) s (suffix));
end $$;

comment on function service_private.rule_problems() is 'Problems of the security rules of definitions, except in their SQL.';
