create or replace function service.cursor_payload(token text) returns jsonb
  language plpgsql immutable as $$
begin
  return convert_from(service.from_base64url(split_part(token, '.', 1)), 'UTF8')::jsonb;
exception when data_exception then
  perform service.fail(400, 'INVALID_CURSOR', 'The cursor is not one that this service issues.');
end $$;

comment on function service.cursor_payload(text) is 'What a cursor says, not verified: {"k": keys, "v": values}. GW400 INVALID_CURSOR when it is not of that form.';

revoke all on function service.cursor_payload(text) from public;
