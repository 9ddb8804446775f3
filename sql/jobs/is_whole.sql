create or replace function service_private.is_whole(value jsonb, lowest integer, highest integer) returns boolean
  language sql immutable
  return case when jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric between lowest and highest
    and (value #>> '{}')::numeric % 1 = 0 else false end;

comment on function service_private.is_whole(jsonb, integer, integer) is 'Whether a value is a whole number between these.';
