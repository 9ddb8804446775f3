create or replace function service.readable(property service.properties, roles text[]) returns boolean
  language sql immutable
  return service.is_open(property.read_roles, roles);

comment on function service.readable(service.properties, text[]) is
  'Whether holders of these roles may read the property (service.is_open), if not all its parts.';

revoke all on function service.readable(service.properties, text[]) from public;
