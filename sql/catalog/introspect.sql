-- Brings the catalog in line with the tables of one schema, and moves its version when that changes anything. When it
-- does not, nothing is written; when it does, only the rows that differ are. Collections of files give way.
create or replace function service.introspect(schema text, unprotected text) returns boolean
  language plpgsql volatile set jit = off as $$
declare
  tables service.introspected_table[] := array(select t from service.introspected_tables(schema, unprotected) t where t.reason is null);
  properties service.properties[] := array(select p from service.introspected_properties(tables) p);
  collections service.collections[] := array(select c from service.introspected_collections(tables, properties) c);
  relations service.relations[] := array(select r from service.introspected_relations(tables, properties) r);
  found text := service.catalog_fingerprint(collections, properties, relations);
begin
  if found = (select c.schema_version from service.catalog c) then
    return false;
  end if;
  delete from service.relations r where not exists (select from unnest(relations) n where n = r);
  delete from service.properties p where not exists (select from unnest(properties) n where n = p);
  delete from service.collections c where not exists (select from unnest(collections) n where n = c);
  insert into service.collections select * from unnest(collections) on conflict do nothing;
  insert into service.properties select * from unnest(properties) on conflict do nothing;
  insert into service.relations select * from unnest(relations) on conflict do nothing;
  update service.catalog set version = version + 1, schema_version = found;
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.introspect(text, text) is
  'Reads the tables of a schema into the catalog (unprotected: skip or serve those without row security). True when the catalog '
  'changed; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with '
  'an advisory lock.';

revoke all on function service.introspect(text, text) from public;
