create or replace function service_private.key_types(collection text) returns jsonb
  language sql stable
  return to_jsonb(array(select k.sql_type from service_private.key_properties(collection) k));

comment on function service_private.key_types(text) is 'The types of a collection''s key, as a JSON array, in its order.';
