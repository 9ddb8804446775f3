create or replace function service_private.require_unmasked(property service.properties, roles text[]) returns void
  language plpgsql stable as $$
begin
  perform service_private.require_readable(property, roles);
  if not service_private.unmasked(property, roles) then
    perform service_private.refuse_reading(property,
      format('Field %s of %s is masked: rows show it, and nothing else can be done with it.', property.name, property.collection),
      'It is masked for everybody.');
  end if;
end $$;

comment on function service_private.require_unmasked(service.properties, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when the property is not service_private.unmasked.';
