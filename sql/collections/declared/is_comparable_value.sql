create or replace function service_private.is_comparable_value(comparison jsonb) returns boolean
  language sql immutable parallel safe
begin atomic
  select coalesce(bool_and(jsonb_typeof(v.value) in ('string', 'number', 'boolean')), false)
  from jsonb_array_elements(case comparison ->> 'op' when 'in' then service_private.listed(comparison -> 'value')
    else jsonb_build_array(comparison -> 'value') end) v (value);
end;

comment on function service_private.is_comparable_value(jsonb) is
  'Whether the value of a comparison {op, value} is one that a column can be compared with: one, or with op in a list of them.';
