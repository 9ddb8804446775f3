create or replace function service_private.from_base64url(text text) returns bytea
  language sql immutable parallel safe
  return decode(rpad(translate(text, '-_', '+/'), (length(text) + 3) / 4 * 4, '='), 'base64');

comment on function service_private.from_base64url(text) is 'The bytes of unpadded base64url; 22023 when it is none.';
