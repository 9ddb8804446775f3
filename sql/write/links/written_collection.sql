create or replace function service_private.written_collection(request jsonb) returns text
  language sql stable
  return service_private.path_collection(coalesce(service_private.nested_path(request), request -> 'path'), null);

comment on function service_private.written_collection(jsonb) is
  'The collection of the row that a request writes. Errors as service_private.path_collection.';
