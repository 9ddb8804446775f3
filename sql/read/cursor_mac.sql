-- HMAC-SHA256 (RFC 2104) from the built-in sha256: a cursor is signed in the statement that issues it, and no
-- extension is needed. The key is stored padded.
create or replace function service.cursor_mac(payload text) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select service.base64url(substr(sha256(s.outer_key || sha256(s.inner_key || convert_to(payload, 'UTF8'))), 1, 16))
  from service.cursor_key s;
end;

comment on function service.cursor_mac(text) is 'The first 128 bits of HMAC-SHA256 over a payload under this database''s cursor key, base64url.';

revoke all on function service.cursor_mac(text) from public;
