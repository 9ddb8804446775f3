create or replace function service_private.key_column_for(name text) returns text
  language sql immutable parallel safe
  return service_private.snake_case(service_private.singular(name)) || '_id';

comment on function service_private.key_column_for(text) is 
  'The foreign key column of a relation or collection: author is author_id, tags is tag_id.';
