create or replace function service_private.stored_fingerprint() returns text
  language sql stable
begin atomic
  select service_private.catalog_fingerprint(
    array(select c from service.collections c), array(select p from service.properties p), array(select r from service.relations r));
end;

comment on function service_private.stored_fingerprint() is 'The service_private.catalog_fingerprint of the catalog as it is.';
