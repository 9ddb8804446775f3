create or replace function service.cursor_open(collection text, token text) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  payload text;
begin
  begin
    payload := convert_from(service.from_base64url(split_part(token, '.', 1)), 'UTF8');
  exception when data_exception then
    payload := null;
  end;
  if payload is null or service.cursor_mac(collection || ' ' || payload) <> split_part(token, '.', 2) then
    perform service.fail(400, 'INVALID_CURSOR', 'The cursor was not issued by this service for this collection.');
  end if;
  return array(select jsonb_array_elements_text(payload::jsonb -> 'v'));
end $$;

comment on function service.cursor_open(text, text) is
  'The values of a cursor that this database signed for this collection: those of its sort keys, then the key''s. GW400 INVALID_CURSOR.';

revoke all on function service.cursor_open(text, text) from public;
grant execute on function service.cursor_open(text, text) to service_user;
