create or replace function service_private.aggregate_property(collection text, field text, roles text[]) returns service.properties
  language plpgsql stable as $$
declare
  property service.properties := service_private.find_property(collection, field);
  valid_fields jsonb;
begin
  if property.name is null then
    perform service_private.refuse_part(collection, field, roles);
    valid_fields := service_private.filterable_fields(collection, roles);
    perform service.fail(400, 'UNKNOWN_AGGREGATE_FIELD',
      format('%s has no field %s. It has %s.', collection, field,
        (select string_agg(f, ', ') from jsonb_array_elements_text(valid_fields) f)),
      jsonb_build_object('field', field, 'collection', collection, 'validFields', valid_fields));
  end if;
  perform service_private.require_filterable(property, roles);
  return property;
end $$;

comment on function service_private.aggregate_property(text, text, text[]) is
  'The property that an aggregate or a group names. GW400 UNKNOWN_AGGREGATE_FIELD {field, collection, validFields}, '
  'FIELD_NOT_READABLE.';
