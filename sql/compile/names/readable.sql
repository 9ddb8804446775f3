create or replace function service.readable(property service.properties, roles text[]) returns boolean
  language sql immutable
  return property.read_roles is null
    or coalesce(property.read_roles && roles, false)
    or (coalesce('admin' = any (roles), false) and property.read_roles <> '{}');

comment on function service.readable(service.properties, text[]) is
  'Whether holders of these roles may read the property: no list means everybody, an empty list nobody, and admin may read '
  'whatever somebody may.';

revoke all on function service.readable(service.properties, text[]) from public;
