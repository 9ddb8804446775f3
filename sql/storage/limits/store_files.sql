create or replace function service.store_files() returns void
  language sql volatile
begin atomic
  insert into service.storage_properties (collection, place, property, source, destination, max_size, accepted)
  select f.collection, f.place, f.property, coalesce(nullif(btrim(f.storage ->> 'storageId'), ''), '(default)'),
    service.file_destination(f.storage), (f.storage ->> 'maxSize')::bigint,
    nullif(service.texts(f.storage -> 'acceptedFiles'), '{}')
  from service.declared_files() f;
end;

comment on function service.store_files() is 'Puts the limits of properties that hold files into service.storage_properties.';

revoke all on function service.store_files() from public;
