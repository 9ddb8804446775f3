create or replace function service_private.closed_parts_of(property service.properties, roles text[], act text) returns jsonb
  language sql immutable
  return case when property.attributes ? 'restricted' then service_private.closed_parts(property.attributes, roles, act) end;

comment on function service_private.closed_parts_of(service.properties, text[], text) is
  'The service_private.closed_parts of a property, null when there are none.';
