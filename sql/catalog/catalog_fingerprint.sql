create or replace function service_private.catalog_fingerprint(
  collections service.collections[], properties service.properties[], relations service.relations[]) returns text
  language sql stable
begin atomic
  select service_private.fingerprint(array_agg(line)) from (
    select c::text as line from unnest(collections) c
    union all select p::text from unnest(properties) p
    union all select r::text from unnest(relations) r
    union all select u::text from service_private.unvalidated_keys() u) l;
end;

comment on function service_private.catalog_fingerprint(service.collections[], service.properties[], service.relations[]) is
  'The service_private.fingerprint of a catalog: of these rows with every column, in whatever order.';
