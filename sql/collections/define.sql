-- The whole catalog at once. Nothing is written when it is what is there already, so that a second boot and a second
-- gateway leave no trace. On a server without pgvector the vector properties have no column, so nobody is to ask for it.
create or replace function service.define(catalog jsonb) returns boolean
  language plpgsql volatile set jit = off as $$
declare
  collections service.collections[] := array(
    select c from jsonb_populate_recordset(null::service.collections, catalog -> 'collections') c);
  properties service.properties[] := array(
    select case when p.type = 'vector' and service.extension_schema('vector') is null then service.without_column(p)
      else service.with_vector_schema(p) end
    from jsonb_populate_recordset(null::service.properties, catalog -> 'properties') p);
  relations service.relations[] := array(
    select r from jsonb_populate_recordset(null::service.relations, catalog -> 'relations') r);
  stored text := service.catalog_fingerprint(
    array(select c from service.collections c), array(select p from service.properties p), array(select r from service.relations r));
begin
  if stored = service.catalog_fingerprint(collections, properties, relations) then
    return false;
  end if;
  delete from service.collections;
  insert into service.collections select * from unnest(collections);
  insert into service.properties select * from unnest(properties);
  insert into service.relations select * from unnest(relations);
  perform service.require_expressions();
  update service.catalog set version = version + 1, schema_version = service.schema_version();
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.define(jsonb) is
  'Makes {collections, properties, relations}, the rows of the tables of those names with every column, the catalog. True when that '
  'changed it; gateways are then notified on channel service_catalog with the new version. GW400 SCHEMA_CHANGE_FAILED with '
  'details.problems [{path, problem}] when SQL of theirs is not one expression. Needs the owner; callers serialise it with an advisory '
  'lock.';

revoke all on function service.define(jsonb) from public;
