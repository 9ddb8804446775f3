create or replace function service_private.key_columns(collection text) returns text[]
  language sql stable
  return array(select k.column_name from service_private.key_properties(collection) k);

comment on function service_private.key_columns(text) is 'The columns of a collection''s key, in its order.';
