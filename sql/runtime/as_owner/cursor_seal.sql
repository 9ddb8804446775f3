-- HMAC-SHA256 (RFC 2104) from the built-in sha256: a cursor is signed in the statement that issues it, and no
-- extension is needed. The key is stored padded. PL/pgSQL because its plan is kept: as a SQL function, whose body is
-- read and planned again in every statement, it cost a fifth of a list of 50 rows. One function, because each that runs
-- with its owner's rights costs 5 microseconds: of 24 that this takes, 11 are the reading of the key.
create or replace function service_private.cursor_seal(collection text, payload text) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  key service.cursor_key;
begin
  select k.* into key from service.cursor_key k;
  return service_private.base64url(convert_to(payload, 'UTF8')) || '.'
    || service_private.base64url(substr(sha256(key.outer_key || sha256(key.inner_key || convert_to(collection || ' ' || payload, 'UTF8'))),
      1, 16));
end $$;

comment on function service_private.cursor_seal(text, text) is
  'A cursor: base64url of its payload {"k":[[field, direction, nulls]…],"v":[stored value as text or null…, key…]}, a dot, and the '
  'first 128 bits of its HMAC-SHA256 under this database''s cursor key. Bound to the collection.';

grant execute on function service_private.cursor_seal(text, text) to service_user;
