create or replace function service_private.row_id(shown json, key jsonb) returns text
  language sql immutable parallel safe
  return case jsonb_array_length(key) when 1 then (shown -> (key ->> 0))::text else shown::text end;

comment on function service_private.row_id(json, jsonb) is
  'The id of a row of which the key (names) is shown, as JSON: of a key of several columns the object.';

grant execute on function service_private.row_id(json, jsonb) to service_user;
