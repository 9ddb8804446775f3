create or replace function service_private.show_upload(id text, asker text) returns json
  language sql stable
begin atomic
  select service_private.upload_json(service_private.own_upload(show_upload.id, show_upload.asker));
end;

comment on function service_private.show_upload(text, text) is
  'The current state of an upload. GW404 NOT_FOUND as service_private.own_upload.';
