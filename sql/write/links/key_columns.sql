create or replace function service.key_columns(collection text) returns text[]
  language sql stable
  return array(select k.column_name from service.key_properties(collection) k);

comment on function service.key_columns(text) is 'The columns of a collection''s key, in its order.';

revoke all on function service.key_columns(text) from public;
