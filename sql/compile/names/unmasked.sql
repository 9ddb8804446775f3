create or replace function service_private.unmasked(property service.properties, roles text[]) returns boolean
  language sql immutable
  return service_private.readable(property, roles) and not property.attributes ? 'masked';

comment on function service_private.unmasked(service.properties, text[]) is
  'Whether holders of these roles may read the property as it is stored: afterRead does not mask it.';
