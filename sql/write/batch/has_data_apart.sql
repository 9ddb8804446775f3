create or replace function service_private.has_data_apart(item jsonb) returns boolean
  language sql immutable parallel safe
  return item ?& '{id,data}' and item - '{id,data}'::text[] = '{}';

comment on function service_private.has_data_apart(jsonb) is
  'Whether an item of a bulk update is {id, data}, and not the fields themselves beside the id.';

grant execute on function service_private.has_data_apart(jsonb) to service_user;
