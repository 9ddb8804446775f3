create or replace function service_private.tenant_problems(unreadable text[]) returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with tenant as (
    select c.slug, c.definition -> 'tenant' as tenant, c.definition #> '{tenant,from,membership}' as membership,
      c.definition #>> '{tenant,from,claim}' as claim
    from service.collections c
    where c.definition ? 'tenant' and c.source = 'file'
  )
  select t.slug || '.tenant.field', f.problem
  from tenant t
  cross join service_private.id_problem(t.slug, t.tenant ->> 'field') f (problem)
  where f.problem is not null
  union all
  select t.slug || '.tenant.field', format('%s has a value of its own in a new row, so no tenant could be put there', t.tenant ->> 'field')
  from tenant t
  join service.properties p on p.collection = t.slug and p.attributes ? 'tenant'
  where p.attributes #> '{column,default}' <> 'null' or (p.attributes #> '{column,identity}')::boolean
    or p.attributes #> '{column,stamp}' <> 'null'
  union all
  select t.slug || '.tenant.from.claim', t.claim || ' says who the caller is, not which tenant'
  from tenant t
  where t.claim in ('uid', 'sub', 'roles', 'aal', 'isAnonymous', 'is_anonymous')
  union all
  select t.slug || '.tenant.from.membership.collection', format('there is no collection %s', t.membership -> 'collection')
  from tenant t
  where t.membership is not null and t.membership ->> 'collection' <> all (unreadable)
    and not exists (select from service.collections c where c.slug = t.membership ->> 'collection')
  union all
  select t.slug || '.tenant.from.membership.collection', 'who belongs where cannot be read from rows that belong to tenants by it'
  from tenant t
  where t.membership ->> 'collection' = t.slug
  union all
  select format('%s.tenant.from.membership.%s', t.slug, k.key), f.problem
  from tenant t
  join service.collections c on c.slug = t.membership ->> 'collection'
  cross join unnest(array['userField', 'tenantField']) k (key)
  cross join service_private.id_problem(c.slug, t.membership ->> k.key) f (problem)
  where f.problem is not null;
end $$;

comment on function service_private.tenant_problems(text[]) is
  'Problems of the tenant blocks of definitions. unreadable: as of service_private.relation_problems.';
