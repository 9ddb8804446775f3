-- The nearest policy is the one of whose conditions the largest part is true; the one that lets admin pass comes last. PostgreSQL wants
-- one permissive policy and every restrictive one, for each command that the request is.
create or replace function service_private.policies_in_words(
  policies jsonb, served service.collections, operation text, stored text, changed jsonb, claims jsonb) returns text
  language plpgsql volatile as $$
declare
  refused record;
  conditions text[];
  places bigint[];
  reason text;
begin
  select t.command, t.clause, k.permissive, j.policies into refused
  from service_private.tried_commands(operation) t
  cross join (values (true), (false)) k (permissive)
  cross join lateral (
    select coalesce(jsonb_agg(p order by u.n) filter (where p ->> 'verdict' <> 'true'), '[]'),
      case when k.permissive then coalesce(bool_or(p ->> 'verdict' = 'true'), false)
        else coalesce(bool_and(p ->> 'verdict' = 'true'), true) end
    from jsonb_array_elements(policies) with ordinality u (p, n)
    where (p ->> 'command', p ->> 'clause', (p ->> 'permissive')::boolean) = (t.command, t.clause, k.permissive)) j (policies, passes)
  where not j.passes
  order by t.n, k.permissive desc
  limit 1;
  -- All conditions at once: each call enters the caller anew.
  select array_agg(x.condition order by u.n, x.n), array_agg(u.n order by u.n, x.n) into conditions, places
  from jsonb_array_elements(refused.policies) with ordinality u (p, n)
  cross join lateral unnest(service_private.conjuncts(coalesce(p ->> 'expression', 'true'))) with ordinality x (condition, n)
  where u.n <= 50;
  select format('%s, %s', n.policy ->> 'name',
    coalesce(service_private.condition_in_words(conditions[n.first], n.verdict, claims), 'an expression that fails')) into reason
  from (
    select refused.policies -> (places[v.n] - 1)::integer as policy, places[v.n] as place,
      count(*) filter (where v.verdict = 'true')::numeric / count(*) as part, min(v.n) filter (where v.verdict <> 'true') as first,
      (array_agg(v.verdict order by v.n) filter (where v.verdict <> 'true'))[1] as verdict
    from service_private.verdicts(conditions, service_private.tried_row(served, operation), claims, stored,
      case refused.clause when 'check' then changed else '{}' end) with ordinality v (verdict, message, n)
    group by 2, 1) n
  order by n.part desc, coalesce(n.policy ->> 'origin' like 'the default for %', false), n.place
  limit 1;
  return case
    when refused.command is null then null
    when reason is null then format('no policy lets the role of requests %s', refused.command)
    when refused.permissive then format('no permissive policy for %s is true (%s tried); nearest: %s', refused.command,
      jsonb_array_length(refused.policies), reason)
    else format('a restrictive policy for %s is not true: %s', refused.command, reason) end;
end $$;

comment on function service_private.policies_in_words(jsonb, service.collections, text, text, jsonb, jsonb) is
  'Which of these policies (service_private.judged_policies) keep a row from the caller with these claims, and the condition that '
  'does; null when they let it pass.';
