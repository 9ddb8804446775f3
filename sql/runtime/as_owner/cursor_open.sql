create or replace function service_private.cursor_open(collection text, token text) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  payload text;
begin
  begin
    payload := convert_from(service_private.from_base64url(split_part(token, '.', 1)), 'UTF8');
  exception when data_exception then
    payload := null;
  end;
  -- By their hashes, whose comparison takes a time that tells nothing of the signature.
  if payload is null or sha256(convert_to(service_private.cursor_seal(collection, payload), 'UTF8')) <> sha256(convert_to(token,
    'UTF8')) then
    perform service.fail(400, 'INVALID_CURSOR', 'The cursor was not issued by this service for this collection.');
  end if;
  return array(select jsonb_array_elements_text(payload::jsonb -> 'v'));
end $$;

comment on function service_private.cursor_open(text, text) is
  'The values of a cursor that this database signed for this collection: those of its sort keys, then the key''s. GW400 '
  'INVALID_CURSOR.';

grant execute on function service_private.cursor_open(text, text) to service_user;
