create or replace function service.value(parameter integer, sql_type text, list boolean default false) returns text
  language sql immutable parallel safe
  return service.typed('$' || parameter, sql_type, list);

comment on function service.value(integer, text, boolean) is
  'SQL text of a parameter cast to a column''s type (its array type for a list): $2::integer, $3::text[].';

revoke all on function service.value(integer, text, boolean) from public;
