create or replace function service_private.is_required(served service.collections, property service.properties) returns boolean
  language sql immutable
  return property.required and not property.excluded and not property.name = any (served.key)
    and not property.attributes ?| array['autoValue', 'defaultValue'] and not served.callbacks ? 'beforeSave';

comment on function service_private.is_required(service.collections, service.properties) is
  'Whether a create must send a property: nothing else would fill it.';
