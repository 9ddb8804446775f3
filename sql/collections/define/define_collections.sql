-- In order: what is declared alone, what leads from collection to collection and needs the keys of others, and what marks columns
-- that are there by then. Nothing is written when the project is the one that the catalog came from, so that a second boot and a
-- second gateway leave no trace.
create or replace function service.define_collections(project jsonb) returns boolean
  language plpgsql volatile set standard_conforming_strings = on set jit = off as $$
declare
  origin constant text := service.project_origin(project);
  before constant text := service.stored_fingerprint();
  problems jsonb;
  stored text;
begin
  if exists (select from service.catalog c where c.defined_from = concat_ws(' ', origin, before)) then
    return false;
  end if;
  perform service.store_collections(project);
  problems := (select jsonb_agg(p order by p.path, p.problem) from service.definition_problems(project) p where not p.warning);
  if problems is not null then
    perform service.fail(400, 'SCHEMA_CHANGE_FAILED',
      (select string_agg(format('%s: %s', p ->> 'path', p ->> 'problem'), e'\n') from jsonb_array_elements(problems) p),
      jsonb_build_object('problems', problems));
  end if;
  stored := service.stored_fingerprint();
  update service.catalog set defined_from = concat_ws(' ', origin, stored);
  if stored = before then
    return false;
  end if;
  update service.catalog set version = version + 1, schema_version = service.schema_version();
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.define_collections(jsonb) is
  'Makes a project the catalog: {collections: [{file, definition, broken}], defaults: [rule], unreadable: [slug]}. definition is what a '
  'collection file holds, with propertiesOrder, the names of its properties in their order, which jsonb does not keep; broken are its '
  'properties of a wrong form. True when that changed the catalog; gateways are then notified on channel service_catalog with the new '
  'version. GW400 SCHEMA_CHANGE_FAILED with details.problems [{path, problem}], those of service.collection_problems. Needs the owner; '
  'callers serialise it with an advisory lock.';

revoke all on function service.define_collections(jsonb) from public;
