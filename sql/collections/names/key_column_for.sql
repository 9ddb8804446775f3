create or replace function service.key_column_for(name text) returns text
  language sql immutable parallel safe
  return service.snake_case(service.singular(name)) || '_id';

comment on function service.key_column_for(text) is 
  'The foreign key column of a relation or collection: author is author_id, tags is tag_id.';

revoke all on function service.key_column_for(text) from public;
