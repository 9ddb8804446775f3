-- In order: what is declared alone, what leads from collection to collection and needs the keys of others, and what marks columns
-- that are there by then. Nothing is written when the project is the one that the catalog came from, so that a second boot and a
-- second gateway leave no trace.
create or replace function service_private.redefine_collections(project jsonb) returns jsonb
  language plpgsql volatile set standard_conforming_strings = on set jit = off as $$
declare
  before text;
  collections_before service.collections[];
  properties_before service.properties[];
  problems jsonb;
  stored text;
begin
  if service_private.is_defined(project) then
    return null;
  end if;
  before := service_private.stored_fingerprint();
  collections_before := array(select c from service.collections c);
  properties_before := array(select p from service.properties p);
  perform service_private.store_collections(project);
  problems := (select jsonb_agg(p order by p.path, p.problem) from service_private.definition_problems(project) p where not p.warning);
  if problems is not null then
    perform service.fail(400, 'SCHEMA_CHANGE_FAILED',
      (select string_agg(format('%s: %s', p ->> 'path', p ->> 'problem'), e'\n') from jsonb_array_elements(problems) p),
      jsonb_build_object('problems', problems));
  end if;
  stored := service_private.stored_fingerprint();
  update service.catalog set defined_from = concat_ws(' ', service_private.project_origin(project), stored);
  if stored = before then
    return null;
  end if;
  update service.catalog set version = version + 1, schema_version = service_private.schema_version();
  perform service_private.keep_file_statements();
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return (select coalesce(jsonb_agg(c order by c.collection, c.property, c.kind), '[]')
    from service_private.catalog_changes(collections_before, properties_before) c);
end $$;

comment on function service_private.redefine_collections(jsonb) is
  'service_private.define_collections that returns what became of the collections of files: a list of service_private.catalog_changes '
  'rows, empty where only labels, rules or indexes changed; null when nothing did.';
