create or replace function service.show_upload(id text, asker text) returns json
  language sql stable
begin atomic
  select service.upload_json(service.own_upload(show_upload.id, show_upload.asker));
end;

comment on function service.show_upload(text, text) is 'An upload as it is. GW404 NOT_FOUND as service.own_upload.';

revoke all on function service.show_upload(text, text) from public;
