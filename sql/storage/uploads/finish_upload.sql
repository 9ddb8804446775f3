-- For any holder: the file exists in any case.
create or replace function service_private.finish_upload(id uuid) returns boolean
  language sql volatile
begin atomic
  update service.storage_uploads u
  set finished_at = clock_timestamp(), received = u.length, held = null, holder = null, claimant = null
  where u.id = finish_upload.id and u.finished_at is null
  returning true;
end;

comment on function service_private.finish_upload(uuid) is
  'Records that the file of an upload is there. Null when that was known, or there is no such upload any more.';
