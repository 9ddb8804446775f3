create or replace function service_private.is_list_of_names(value jsonb) returns boolean
  language sql immutable parallel safe
  return jsonb_typeof(value) = 'array' and not jsonb_path_exists(value, '$[*] ? (@.type() != "string" || @ == "")');

comment on function service_private.is_list_of_names(jsonb) is 'Whether a JSON value is an array of texts, none of them blank.';
