create or replace function service.aggregate_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service.find_property(collection, field);
begin
  if property.name is null then
    perform service.fail(400, 'UNKNOWN_AGGREGATE_FIELD',
      format('%s has no field %s. It has %s.', collection, field, (select string_agg(f, ', ') from jsonb_array_elements_text(service.valid_fields(collection, roles)) f)),
      jsonb_build_object('field', field, 'collection', collection, 'validFields', service.valid_fields(collection, roles)));
  end if;
  perform service.require_readable(property, roles);
  return property;
end $$;

comment on function service.aggregate_property(text, text, text[]) is
  'The property that an aggregate or a group names. GW400 UNKNOWN_AGGREGATE_FIELD {field, collection, validFields}, FIELD_NOT_READABLE.';

revoke all on function service.aggregate_property(text, text, text[]) from public;
