create or replace function service.require_readable(property service.properties, roles text[]) returns void
  language plpgsql stable as $$
begin
  if not service.readable(property, roles) then
    perform service.refuse_reading(property,
      format('Field %s of %s cannot be read by this caller.', property.name, property.collection), 'Reading it needs another role.');
  end if;
end $$;

comment on function service.require_readable(service.properties, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when these roles may not read the property.';

revoke all on function service.require_readable(service.properties, text[]) from public;
