-- Every form of a rule is a condition that could have been written out, so that one function makes SQL of all of them.
create or replace function service_private.rule_condition(rule jsonb, clause text) returns jsonb
  language plpgsql immutable parallel safe as $$
declare
  condition constant jsonb := case
    when rule ? 'condition' then case clause when 'check' then coalesce(rule -> 'check', rule -> 'condition') else rule -> 'condition' end
    when rule ? 'ownerField' then jsonb_build_object('kind', 'compare', 'op', 'eq',
      'left', jsonb_build_object('kind', 'field', 'name', rule -> 'ownerField'), 'right', jsonb_build_object('kind', 'authUid'))
    when rule ->> 'access' = 'public' then '{"kind": "true"}'
    when rule ? 'using' or rule ? 'withCheck' then jsonb_build_object('kind', 'raw',
      'sql', case clause when 'check' then coalesce(rule -> 'withCheck', rule -> 'using') else rule -> 'using' end)
    when not rule ? 'access' and rule ? 'roles' then '{"kind": "true"}'
    else '{"kind": "false"}' end;
begin
  return case when not rule ? 'roles' then condition else jsonb_build_object('kind', 'and', 'operands', jsonb_build_array(
    jsonb_build_object('kind', 'rolesOverlap', 'roles', rule -> 'roles'), condition)) end;
end $$;

comment on function service_private.rule_condition(jsonb, text) is
  'The condition of a security rule on a row (docs/collections.md): for any of its forms, its roles included. clause: using, for the '
  'stored row, or check, for the written row.';
