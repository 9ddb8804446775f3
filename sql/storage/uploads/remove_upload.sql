create or replace function service_private.remove_upload(id uuid, token uuid) returns boolean
  language sql volatile
begin atomic
  delete from service.storage_uploads u
  where u.id = remove_upload.id and (u.holder = remove_upload.token or u.finished_at is not null)
  returning true;
end;

comment on function service_private.remove_upload(uuid, uuid) is
  'Forgets an upload that the token holds, or that is finished. Null when it is neither.';
