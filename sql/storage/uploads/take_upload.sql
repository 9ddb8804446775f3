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
  'Becomes the holder of an upload that was claimed, if nobody holds it any more, or who does is the stale one. The upload as it is then, '
  'null when there is none: whoever finds another claimant was overtaken by it.';
