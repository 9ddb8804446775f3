create or replace function service_private.path_relation(path jsonb) returns service.relations
  language plpgsql stable as $$
begin
  return service_private.find_relation(service_private.path_collection(path - -1 - -1, null), path ->> -1);
end $$;

comment on function service_private.path_relation(jsonb) is
  'The relation that a path [slug, id, relation, …] ends in. Errors as service_private.path_collection.';
