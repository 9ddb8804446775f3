create or replace function service_private.storage_rule_problems(rules jsonb) returns table (path text, problem text)
  language sql volatile set jit = off
begin atomic
  with policy as (
    select format('policies[%s]', p.n - 1) as path, p.rule, p.rule -> 'allow' as allow
    from jsonb_array_elements(rules -> 'policies') with ordinality p (rule, n)
  ), trigger as (
    select format('triggers[%s]', t.n - 1) as path, t.rule
    from jsonb_array_elements(rules -> 'triggers') with ordinality t (rule, n)
  ), function as (
    select 'authorize' as path, rules ->> 'authorize' as name, 'boolean'::regtype as result where rules ->> 'authorize' is not null
    union all
    select p.path || '.allow.function', p.allow ->> 'function', 'boolean' from policy p where p.allow ? 'function'
    union all
    select t.path || '.handler', t.rule ->> 'handler', 'void' from trigger t
  )
  select f.path, c.problem
  from function f
  cross join lateral service_private.caller_function(f.name, f.result) c
  where c.problem is not null
  union all
  select r.path || '.path', k.problem
  from (select p.path, p.rule from policy p union all select t.path, t.rule from trigger t) r
  cross join lateral service_private.key_pattern(r.rule ->> 'path') k
  where k.problem is not null
  union all
  select p.path || '.allow.row', format('there is no collection %s', p.allow ->> 'row')
  from policy p
  where p.allow ? 'row' and not exists (select from service.collections c where c.slug = p.allow ->> 'row' and c.exposed)
  union all
  select p.path || '.allow.id', format('the path has no :%s', p.allow ->> 'id')
  from policy p
  cross join lateral service_private.key_pattern(p.rule ->> 'path') k
  where p.allow ? 'row' and not coalesce(p.allow ->> 'id' = any (k.names), false);
end;

comment on function service_private.storage_rule_problems(jsonb) is
  'Problems of the rules of files (service_private.use_storage_rules), with their places.';
