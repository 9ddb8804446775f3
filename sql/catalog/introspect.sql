-- Brings the catalog in line with the tables of one schema, and moves its version when that changed anything.
create or replace function service.introspect(schema text, unprotected text) returns boolean
  language plpgsql volatile as $$
declare
  before text := service.catalog_fingerprint();
  after text;
begin
  delete from service.collections where source = 'introspected';
  insert into service.collections (slug, source, name, singular_name, description, schema_name, table_name, key, read_only, estimated_rows)
  select t.slug, 'introspected', service.humanize(t.slug), service.humanize(service.singular(t.slug)), nullif(trim(regexp_replace(obj_description(t.oid, 'pg_class'), '@key [^\n]+', '')), ''),
    introspect.schema, t.slug, array['-'], t.kind = 'v', greatest(c.reltuples, 0)
  from service.introspected_tables(introspect.schema, introspect.unprotected) t
  join pg_class c on c.oid = t.oid
  where t.reason is null and not t.junction;
  insert into service.properties select * from service.introspected_properties(introspect.schema, introspect.unprotected);
  insert into service.relations select * from service.introspected_relations(introspect.schema, introspect.unprotected);
  update service.collections c
  set key = array(
    select p.name from service.introspected_tables(introspect.schema, introspect.unprotected) t, unnest(t.key) with ordinality k (attnum, n)
      join service.properties p on p.position = k.attnum
    where t.slug = c.slug and p.collection = c.slug order by k.n)
  where c.source = 'introspected';
  after := service.catalog_fingerprint();
  if after is distinct from before then
    update service.catalog set version = version + 1, schema_version = 'v1:' || left(after, 16);
    perform pg_notify('service_catalog', (select version::text from service.catalog));
  end if;
  return after is distinct from before;
end $$;

comment on function service.introspect(text, text) is
  'Reads the tables of a schema into the catalog (unprotected: skip or serve those without row security). True when the catalog changed; gateways are then notified on channel service_catalog with the new version. Needs the owner; call it under service.lock_catalog().';

revoke all on function service.introspect(text, text) from public;
