create or replace function service.require_readable(property service.properties, roles text[]) returns void
  language plpgsql stable as $$
begin
  if not service.readable(property, roles) then
    perform service.fail(400, 'FIELD_NOT_READABLE',
      format('Field %s of %s cannot be read by this caller.', property.name, property.collection),
      jsonb_build_object('collection', property.collection, 'fields', jsonb_build_array(property.name),
        'violations', jsonb_build_array(jsonb_build_object('field', property.name, 'code', 'access',
          'message', 'Reading it needs another role.'))));
  end if;
end $$;

comment on function service.require_readable(service.properties, text[]) is
  'Nothing, or GW400 FIELD_NOT_READABLE with details {collection, fields, violations} when these roles may not read the property.';

revoke all on function service.require_readable(service.properties, text[]) from public;
