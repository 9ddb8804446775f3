create or replace function service.base64url(bytes bytea) returns text
  language sql immutable parallel safe
  return translate(encode(bytes, 'base64'), '+/=' || chr(10), '-_');

comment on function service.base64url(bytea) is 'RFC 4648 base64url without padding.';

revoke all on function service.base64url(bytea) from public;
