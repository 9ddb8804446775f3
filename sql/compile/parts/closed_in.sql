create or replace function service.closed_in(property service.properties, roles text[], act text) returns jsonb
  language sql immutable
  return case when property.attributes ? 'restricted' then service.closed_parts(property.attributes, roles, act) end;

comment on function service.closed_in(service.properties, text[], text) is
  'The service.closed_parts of a property, null when there are none.';

revoke all on function service.closed_in(service.properties, text[], text) from public;
