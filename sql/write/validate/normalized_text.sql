-- One expression without subqueries, so that the planner puts it where it is called.
create or replace function service_private.normalized_text(text text, rules jsonb) returns text
  language sql immutable parallel safe
  return case
    when rules -> 'uppercase' = 'true' then upper(btrim(text, case when rules -> 'trim' = 'true' then E' \t\r\n' else '' end))
    when rules -> 'lowercase' = 'true' then lower(btrim(text, case when rules -> 'trim' = 'true' then E' \t\r\n' else '' end))
    else btrim(text, case when rules -> 'trim' = 'true' then E' \t\r\n' else '' end)
  end;

comment on function service_private.normalized_text(text, jsonb) is
  'A text after the rules trim, lowercase and uppercase of its property, which apply before the others are judged; of both cases '
  'upper.';

grant execute on function service_private.normalized_text(text, jsonb) to service_user;
