create or replace function service_private.normal_rules(rules jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select coalesce(jsonb_agg(case when jsonb_typeof(r.rule) = 'object' then
      '{"mode": "permissive", "pgRoles": ["public"]}'::jsonb || (r.rule - 'operation') || jsonb_build_object('operations',
        case when r.rule -> 'operations' ? 'all' then '["all"]'
          else coalesce(r.rule -> 'operations', jsonb_build_array(coalesce(r.rule -> 'operation', '"all"'))) end)
    else r.rule end order by r.n), '[]')
  from jsonb_array_elements(rules) with ordinality r (rule, n);
end;

comment on function service_private.normal_rules(jsonb) is
  'Security rules with the defaults of omitted members: operations, mode and pgRoles. Anything that is no rule stays.';
