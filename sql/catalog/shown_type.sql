create or replace function service_private.shown_type(type oid) returns text
  language sql stable
  return coalesce(service_private.element_type(type) || '[]', service_private.sql_type(type));

comment on function service_private.shown_type(oid) is
  'The type that tells clients how values stand in JSON: service_private.sql_type, with an array''s elements by the base type of their '
  'domain.';
