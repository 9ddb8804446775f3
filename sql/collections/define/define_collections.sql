create or replace function service_private.define_collections(project jsonb) returns boolean
  language plpgsql volatile set jit = off as $$
begin
  return service_private.redefine_collections(project) is not null;
end $$;

comment on function service_private.define_collections(jsonb) is
  'Makes a project the catalog: {collections: [{file, definition, broken}], defaults: [rule], unreadable: [slug]}. definition is what a '
  'collection file holds, with propertiesOrder, the names of its properties in their order, which jsonb does not keep; broken are its '
  'properties of a wrong form. True when that changed the catalog; gateways are then notified on channel service_catalog with the new '
  'version. GW400 SCHEMA_CHANGE_FAILED with details.problems [{path, problem}], those of service.collection_problems. Needs the owner; '
  'callers serialise it with an advisory lock.';
