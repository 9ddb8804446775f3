create or replace function service_private.readable(property service.properties, roles text[]) returns boolean
  language sql immutable
  return service_private.is_open(property.read_roles, roles);

comment on function service_private.readable(service.properties, text[]) is
  'Whether holders of these roles may read the property (service_private.is_open), if not all its parts.';
