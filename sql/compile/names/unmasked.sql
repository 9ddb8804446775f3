create or replace function service.unmasked(property service.properties, roles text[]) returns boolean
  language sql immutable
  return service.readable(property, roles) and not property.attributes ? 'masked';

comment on function service.unmasked(service.properties, text[]) is
  'Whether holders of these roles may read the property as it is stored: afterRead does not mask it.';

revoke all on function service.unmasked(service.properties, text[]) from public;
