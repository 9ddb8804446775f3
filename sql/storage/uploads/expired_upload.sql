-- One at a time, so that what one gateway is removing another passes over; what could not be removed is tried again, not at once.
create or replace function service_private.expired_upload(token uuid) returns json
  language plpgsql volatile as $$
declare
  upload service.storage_uploads;
begin
  select u.* into upload
  from service.storage_uploads u
  where coalesce(u.finished_at, u.created_at) < clock_timestamp() - interval '24 hours'
    and (u.swept_at is null or u.swept_at < clock_timestamp() - interval '5 minutes')
  order by coalesce(u.finished_at, u.created_at)
  limit 1
  for update skip locked;
  if not found then
    return null;
  end if;
  if upload.holder is not null then
    perform pg_notify('service_uploads', upload.holder::text);
  end if;
  update service.storage_uploads u set holder = token, claimant = token, swept_at = clock_timestamp()
  where u.id = upload.id
  returning u.* into upload;
  return service_private.upload_json(upload);
end $$;

comment on function service_private.expired_upload(uuid) is
  'Takes an upload, from any holder, that was not finished in 24 hours or has been finished for as long: token removes it then. Null when '
  'there is none.';
