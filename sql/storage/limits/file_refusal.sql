create or replace function service_private.file_refusal(held service.storage_properties, request jsonb) returns jsonb
  language sql stable
begin atomic
  select case
    when (request ->> 'size')::bigint > held.max_size then jsonb_build_object(
      'status', 413, 'code', 'STORAGE_FILE_TOO_LARGE',
      'message', format('A file of %s has at most %s bytes.', n.property, held.max_size),
      'details', jsonb_build_object('property', n.property, 'maxSize', held.max_size, 'size', request -> 'size'))
    when not service_private.accepts_file(held.accepted, request ->> 'contentType',
      coalesce(request ->> 'fileName', substring(request ->> 'key' from '[^/]*$'))) then jsonb_build_object(
      'status', 400, 'code', 'STORAGE_FILE_TYPE_REFUSED',
      'message', format('A file of %s is one of: %s.', n.property, array_to_string(held.accepted, ', ')),
      'details', jsonb_build_object('property', n.property, 'acceptedFiles', held.accepted, 'contentType', request -> 'contentType')) end
  from (select held.collection || '.' || held.property as property) n;
end;

comment on function service_private.file_refusal(service.storage_properties, jsonb) is
  'Why a property takes no such file, {status, code, message, details}; null where it takes it. request: as of service_private.allow_file.';
