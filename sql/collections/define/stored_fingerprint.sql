create or replace function service.stored_fingerprint() returns text
  language sql stable
begin atomic
  select service.catalog_fingerprint(
    array(select c from service.collections c), array(select p from service.properties p), array(select r from service.relations r));
end;

comment on function service.stored_fingerprint() is 'The service.catalog_fingerprint of the catalog as it is.';

revoke all on function service.stored_fingerprint() from public;
