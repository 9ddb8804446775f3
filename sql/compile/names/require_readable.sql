create or replace function service_private.require_readable(property service.properties, roles text[]) returns void
  language plpgsql stable as $$
begin
  if not service_private.readable(property, roles) then
    perform service_private.refuse_reading(property,
      format('Field %s of %s cannot be read by this caller.', property.name, property.collection), 'Reading it needs another role.');
  end if;
end $$;

comment on function service_private.require_readable(service.properties, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when these roles may not read the property.';
