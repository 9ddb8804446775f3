-- The nearest policy is the one of whose conditions the largest part is true; the one that lets admin pass comes last. PostgreSQL wants
-- one permissive policy and every restrictive one, for each command that the request is.
create or replace function service_private.policies_in_words(
  policies jsonb, served service.collections, operation text, stored text, changed jsonb, claims jsonb) returns text
  language plpgsql volatile as $$
declare
  refused record;
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
  reason := (
    select format('%s, %s', p ->> 'name', coalesce(c.reason, 'an expression that fails'))
    from jsonb_array_elements(refused.policies) with ordinality u (p, n)
    cross join lateral service_private.conjuncts(coalesce(p ->> 'expression', 'true')) s (conditions)
    cross join lateral (
      select count(*) filter (where v.verdict = 'true')::numeric / count(*),
        min(service_private.condition_in_words(s.conditions[v.n], v.verdict, claims)) filter (where v.verdict <> 'true' and v.n = v.first)
      from (
        select v.*, min(v.n) filter (where v.verdict <> 'true') over () as first
        from service_private.verdicts(s.conditions, service_private.tried_row(served, operation), claims, stored,
          case refused.clause when 'check' then changed else '{}' end) with ordinality v (verdict, message, n)) v
    ) c (part, reason)
    where u.n <= 50
    order by c.part desc, coalesce(p ->> 'origin' like 'the default for %', false), u.n
    limit 1);
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
