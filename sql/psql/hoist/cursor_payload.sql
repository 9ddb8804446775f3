create or replace function service_private.cursor_payload(token text) returns jsonb
  language plpgsql immutable as $$
declare
  payload jsonb;
begin
  begin
    payload := convert_from(service_private.from_base64url(split_part(token, '.', 1)), 'UTF8');
  exception when data_exception then
    payload := null;
  end;
  if jsonb_typeof(payload -> 'k') = 'array' and jsonb_typeof(payload -> 'v') = 'array' then
    return payload;
  end if;
  perform service.fail(400, 'INVALID_CURSOR', 'The cursor is not one that this service issues.');
end $$;

comment on function service_private.cursor_payload(text) is
  'The payload of a cursor, not verified: {"k": keys, "v": values}. GW400 INVALID_CURSOR when it is not of that form.';
