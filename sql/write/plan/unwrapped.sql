-- An object without an id stays what it is, and is then no value of the column's type.
create or replace function service_private.unwrapped(value jsonb, field text) returns jsonb
  language sql immutable parallel safe
  return case when field is null or jsonb_typeof(value) <> 'object' then value
    else coalesce(nullif(coalesce(value -> field, value -> 'id'), 'null'), value) end;

comment on function service_private.unwrapped(jsonb, text) is
  'The id of a related row that is sent as an object; any other value unchanged.';

grant execute on function service_private.unwrapped(jsonb, text) to service_user;
