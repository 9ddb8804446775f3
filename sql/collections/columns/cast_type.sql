create or replace function service_private.cast_type(whole text) returns text
  language sql immutable parallel safe
  return case when whole like '%"' then whole when whole like 'character(%' then 'bpchar' else regexp_replace(whole, '\([\d,]+\)', '') end;

comment on function service_private.cast_type(text) is
  'The type that a value for a column of this type is cast to: without length, so that a value that is too long is refused, never cut.';
