-- One at a time, so that what one gateway is finishing another passes over; what could not be finished is tried again, not at once.
create or replace function service_private.whole_upload() returns json
  language sql volatile
begin atomic
  update service.storage_uploads u set swept_at = clock_timestamp()
  where u.id in (
    select w.id from service.storage_uploads w
    where w.received = w.length and w.finished_at is null and w.swept_at is null
    for update skip locked
  );
  update service.storage_uploads u set swept_at = clock_timestamp()
  where u.id = (
    select w.id from service.storage_uploads w
    where w.received = w.length and w.finished_at is null and w.swept_at < clock_timestamp() - interval '5 minutes'
    order by w.swept_at
    limit 1
    for update skip locked
  )
  returning service_private.upload_json(u);
end;

comment on function service_private.whole_upload() is
  'An upload that was complete five minutes ago, and whose file does not exist: its gateway is dead, most likely. Takes no hold of it. '
  'Null when there is none. Newly seen ones are marked, by swept_at.';
