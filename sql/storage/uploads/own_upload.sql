create or replace function service_private.own_upload(id text, asker text) returns service.storage_uploads
  language plpgsql stable as $$
declare
  upload service.storage_uploads;
begin
  select u.* into upload
  from service.storage_uploads u
  where u.id = service_private.as_uuid(own_upload.id) and (u.owner is null or u.owner = asker or asker is null);
  if not found then
    perform service.fail(404, 'NOT_FOUND', 'There is no such upload.');
  end if;
  return upload;
end $$;

comment on function service_private.own_upload(text, text) is
  'An upload that an account may continue, by its uid; null: any upload. GW404 NOT_FOUND for any other.';
