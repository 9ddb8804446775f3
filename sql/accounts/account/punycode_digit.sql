create or replace function service_private.punycode_digit(value integer) returns text
  language sql immutable parallel safe
  return substr('abcdefghijklmnopqrstuvwxyz0123456789', value + 1, 1);

comment on function service_private.punycode_digit(integer) is
  'A digit of base 36 as service_private.punycode writes it: a to z, then 0 to 9.';
