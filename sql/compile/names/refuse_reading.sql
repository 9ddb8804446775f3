create or replace function service_private.refuse_reading(property service.properties, message text, because text) returns void
  language plpgsql stable as $$
begin
  perform service.fail(400, 'FIELD_NOT_READABLE', message,
    jsonb_build_object('collection', property.collection, 'fields', jsonb_build_array(property.name),
      'violations', jsonb_build_array(jsonb_build_object('field', property.name, 'code', 'access', 'message', because))));
end $$;

comment on function service_private.refuse_reading(service.properties, text, text) is
  'GW400 FIELD_NOT_READABLE with details {collection, fields, violations} of one property.';
