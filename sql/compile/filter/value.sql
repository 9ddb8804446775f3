create or replace function service_private.value(parameter integer, sql_type text, list boolean default false) returns text
  language sql immutable parallel safe
  return service_private.typed('$' || parameter, sql_type, list);

comment on function service_private.value(integer, text, boolean) is
  'SQL text of a parameter cast to a column''s type (its array type for a list): $2::integer, $3::text[].';
