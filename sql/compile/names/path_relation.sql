create or replace function service.path_relation(path jsonb) returns service.relations
  language plpgsql stable as $$
begin
  return service.find_relation(service.path_collection(path - -1 - -1, null), path ->> -1);
end $$;

comment on function service.path_relation(jsonb) is
  'The relation that a path [slug, id, relation, …] ends in. Errors as service.path_collection.';

revoke all on function service.path_relation(jsonb) from public;
