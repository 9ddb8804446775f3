create or replace function service_private.release_upload(id uuid, token uuid, received bigint, held jsonb) returns boolean
  language sql volatile
begin atomic
  update service.storage_uploads u set received = release_upload.received, held = release_upload.held, holder = null
  where u.id = release_upload.id and u.holder = release_upload.token
  returning true;
end;

comment on function service_private.release_upload(uuid, uuid, bigint, jsonb) is
  'Records the offset of an upload and releases it. Null: the token no longer held it, and nothing was recorded.';
