create or replace function service_private.short_hash(meaning text) returns text
  language sql immutable parallel safe
  return left(encode(sha256(convert_to(meaning, 'UTF8')), 'hex'), 7);

comment on function service_private.short_hash(text) is 'Seven hex digits that stand for a meaning in a name.';
