create or replace function service_private.path_base(field text) returns text
  language sql immutable parallel safe
  return regexp_replace(field, '(->([$#][0-9]+|\.((?!->).)*))+$', '');

comment on function service_private.path_base(text) is
  'A field name without the hoisted path inside JSON behind it (service_private.hoist_field).';
