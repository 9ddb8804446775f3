-- The holder is notified to release the upload, on any gateway; the newest claimant before it has done so is the next
-- holder, not the first one.
create or replace function service_private.claim_upload(id text, asker text, token uuid) returns json
  language plpgsql volatile as $$
declare
  upload service.storage_uploads := service_private.own_upload(id, asker);
begin
  update service.storage_uploads u set claimant = token
  where u.id = upload.id and u.finished_at is null
  returning u.holder into upload.holder;
  if found and upload.holder is not null then
    perform pg_notify('service_uploads', upload.holder::text);
  end if;
  return service_private.take_upload(upload.id, token);
end $$;

comment on function service_private.claim_upload(text, text, uuid) is
  'Claims an upload for writing: token names the claimant. Without another holder it becomes the holder at once; else the holder is '
  'notified, on channel service_uploads, and service_private.take_upload is called until it has let go. The upload, as '
  'service_private.take_upload. GW404 NOT_FOUND as service_private.own_upload.';
