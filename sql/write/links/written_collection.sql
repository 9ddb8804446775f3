create or replace function service.written_collection(request jsonb) returns text
  language sql stable
  return service.path_collection(coalesce(service.nested_path(request), request -> 'path'), null);

comment on function service.written_collection(jsonb) is
  'The collection of the row that a request writes. Errors as service.path_collection.';

revoke all on function service.written_collection(jsonb) from public;
