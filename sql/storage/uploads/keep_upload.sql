create or replace function service_private.keep_upload(id uuid, token uuid, received bigint, held jsonb) returns boolean
  language sql volatile
begin atomic
  update service.storage_uploads u set received = keep_upload.received, held = keep_upload.held
  where u.id = keep_upload.id and u.holder = keep_upload.token
  returning u.claimant = keep_upload.token;
end;

comment on function service_private.keep_upload(uuid, uuid, bigint, jsonb) is
  'Records the progress of an upload. False: a newer request wants it. Null: the token does not hold it any more, and nothing was '
  'recorded.';
