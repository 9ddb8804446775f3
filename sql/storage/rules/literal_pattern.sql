create or replace function service_private.literal_pattern(literal text) returns text
  language sql immutable parallel safe
  return regexp_replace(literal, '([][\\^$.|?*+(){}])', '\\\1', 'g');

comment on function service_private.literal_pattern(text) is 'A regular expression that matches this text, and no other.';
