create or replace function service.listed(value jsonb) returns jsonb
  language sql immutable parallel safe
  return case jsonb_typeof(value) when 'array' then value else '[]' end;

comment on function service.listed(jsonb) is 'A JSON array, empty for what is none.';

revoke all on function service.listed(jsonb) from public;
