create or replace function service.path_base(field text) returns text
  language sql immutable parallel safe
  return regexp_replace(field, '(->([$#][0-9]+|\.((?!->).)*))+$', '');

comment on function service.path_base(text) is 'A field name without the hoisted path inside JSON behind it (service.hoist_field).';

revoke all on function service.path_base(text) from public;
