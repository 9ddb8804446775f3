create or replace function service.cursor_seal(collection text, keys text, "values" json) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  payload text := concat('{"k":', keys, ',"v":', "values", '}');
begin
  return service.base64url(convert_to(payload, 'UTF8')) || '.' || service.cursor_mac(collection || ' ' || payload);
end $$;

comment on function service.cursor_seal(text, text, json) is
  'A cursor: base64url of {"k":[[field, direction, nulls]…],"v":[stored value as text or null…, key…]}, a dot, its signature. Bound to the collection.';

revoke all on function service.cursor_seal(text, text, json) from public;
grant execute on function service.cursor_seal(text, text, json) to service_user;
