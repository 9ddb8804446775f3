create or replace function service_private.is_computed(attributes jsonb) returns boolean
  language sql immutable parallel safe
  return jsonb_typeof(attributes -> 'isId') = 'string'
    and attributes ->> 'isId' not in ('uuid', 'increment', 'cuid', 'gen_random_uuid()::text');

comment on function service_private.is_computed(jsonb) is
  'Whether the default of a column (attributes as in service.properties) is an expression of its definition, and no constant or function '
  'of the service''s choice. Such a default is never evaluated with rights that service_user lacks.';
