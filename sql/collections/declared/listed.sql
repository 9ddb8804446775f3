create or replace function service_private.listed(value jsonb) returns jsonb
  language sql immutable parallel safe
  return case jsonb_typeof(value) when 'array' then value else '[]' end;

comment on function service_private.listed(jsonb) is 'A JSON array, empty for what is none.';
