-- Brings the catalog in line with the tables of one schema, and moves its version when that changes anything. When it
-- does not, nothing is written.
create or replace function service.introspect(schema text, unprotected text) returns boolean
  language plpgsql volatile as $$
declare
  found text := (
    select service.fingerprint(array_agg(line)) from (
      select to_jsonb(c)::text as line from service.introspected_collections(introspect.schema, introspect.unprotected) c
      union all select to_jsonb(p)::text from service.introspected_properties(introspect.schema, introspect.unprotected) p
      union all select to_jsonb(r)::text from service.introspected_relations(introspect.schema, introspect.unprotected) r) l);
begin
  if found = (select c.schema_version from service.catalog c) then
    return false;
  end if;
  delete from service.collections where source = 'introspected';
  insert into service.collections select * from service.introspected_collections(introspect.schema, introspect.unprotected);
  insert into service.properties select * from service.introspected_properties(introspect.schema, introspect.unprotected);
  insert into service.relations select * from service.introspected_relations(introspect.schema, introspect.unprotected);
  update service.catalog set version = version + 1, schema_version = found;
  perform pg_notify('service_catalog', (select c.version::text from service.catalog c));
  return true;
end $$;

comment on function service.introspect(text, text) is
  'Reads the tables of a schema into the catalog (unprotected: skip or serve those without row security). True when the catalog changed; gateways are then notified on channel service_catalog with the new version. Needs the owner; callers serialise it with an advisory lock.';

revoke all on function service.introspect(text, text) from public;
