create or replace function service_private.store_files() returns void
  language sql volatile
begin atomic
  insert into service.storage_properties (collection, place, property, source, bucket, destination, max_size, accepted, cleanup,
    column_name, sql_type, json_path)
  select f.collection, f.place, f.property, coalesce(nullif(btrim(f.storage ->> 'storageId'), ''), '(default)'),
    coalesce(f.storage ->> 'bucket', 'default'), service_private.file_destination(f.storage), (f.storage ->> 'maxSize')::bigint,
    nullif(service_private.texts(f.storage -> 'acceptedFiles'), '{}'), coalesce(f.storage -> 'cleanup' = 'true', false), f.column_name,
    f.sql_type, f.json_path
  from service_private.declared_files() f;
end;

comment on function service_private.store_files() is 'Puts the properties that hold files into service.storage_properties.';
