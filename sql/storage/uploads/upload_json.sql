create or replace function service_private.upload_json(upload service.storage_uploads) returns json
  language sql stable
  return json_build_object(
    'id', upload.id, 'source', upload.source, 'bucket', upload.bucket, 'key', upload.key, 'contentType', upload.content_type,
    'metadata', upload.metadata, 'length', upload.length, 'received', upload.received, 'held', upload.held, 'holder', upload.holder,
    'claimant', upload.claimant, 'finished', upload.finished_at is not null, 'created', upload.created_at,
    'creator', upload.creator);

comment on function service_private.upload_json(service.storage_uploads) is 'An upload as the gateway reads it.';
