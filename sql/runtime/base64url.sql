create or replace function service_private.base64url(bytes bytea) returns text
  language sql immutable parallel safe
  return translate(encode(bytes, 'base64'), '+/=' || chr(10), '-_');

comment on function service_private.base64url(bytea) is 'RFC 4648 base64url without padding.';
