create or replace function service_private.take_upload(id uuid, token uuid, stale uuid default null) returns json
  language plpgsql volatile as $$
declare
  upload service.storage_uploads;
begin
  update service.storage_uploads u set holder = token
  where u.id = take_upload.id and u.claimant = token and (u.holder is null or u.holder = stale) and u.finished_at is null;
  select u.* into upload from service.storage_uploads u where u.id = take_upload.id;
  return case when found then service_private.upload_json(upload) end;
end $$;

comment on function service_private.take_upload(uuid, uuid, uuid) is
  'Makes a claimant the holder of an upload that is not held any more, or whose holder is the stale one. Returns the upload, null when '
  'there is none: another claimant in it has overtaken the caller.';
