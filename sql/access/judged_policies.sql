create or replace function service_private.judged_policies(
  served service.collections, operation text, stored text, changed jsonb, claims jsonb) returns jsonb
  language plpgsql volatile as $$
declare
  judged constant regclass := to_regclass(service_private.table_name(served.slug));
  policies jsonb;
begin
  select coalesce(jsonb_agg(to_jsonb(p) || '{"verdict": "not tried"}'), '[]') into policies
  from pg_catalog.pg_class c
  cross join lateral service_private.tried_policies(array[c.oid], array[operation], true) p
  where c.oid = judged and c.relrowsecurity;
  if stored is null and operation <> 'create' then
    return policies;
  end if;
  return (
    select coalesce(jsonb_agg(u.policy || jsonb_build_object('verdict', j.verdict, 'message', j.message) order by u.n), '[]')
    from (values ('using', '{}'::jsonb), ('check', changed)) side (clause, changed)
    cross join lateral (
      select array_agg(p.policy order by p.n) as policies, array_agg(p.n order by p.n) as places,
        array_agg(coalesce(p.policy ->> 'expression', 'true') order by p.n) as expressions
      from jsonb_array_elements(policies) with ordinality p (policy, n)
      where p.policy ->> 'clause' = side.clause
      having count(*) > 0) mine
    cross join lateral service_private.verdicts(mine.expressions, service_private.tried_row(served, operation), claims, stored,
      side.changed) with ordinality j (verdict, message, n)
    cross join lateral (select mine.policies[j.n], mine.places[j.n]) u (policy, n));
end $$;

comment on function service_private.judged_policies(service.collections, text, text, jsonb, jsonb) is
  'service_private.tried_policies of a collection, each with its verdict and the message of its error (service_private.verdicts), as a '
  'JSON list. stored: the row, null where there is none; changed: service_private.tried_columns.';
