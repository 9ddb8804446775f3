create or replace function service_private.value_attributes(definition jsonb) returns jsonb
  language plpgsql stable as $$
declare
  kind constant text := service_private.property_kind(definition);
begin
  return jsonb_strip_nulls(jsonb_build_object(
      'label', definition -> 'name',
      'description', definition -> 'description',
      'requiredMessage', definition #> '{validation,requiredMessage}',
      'email', nullif(definition -> 'email', 'false'),
      'url', case when definition -> 'url' in ('true', '"url"') then true end,
      'format', case when definition -> 'email' = 'true' then 'email' when definition -> 'url' in ('true', '"url"') then 'uri' end,
      'keyValue', nullif(definition -> 'keyValue', 'false'),
      'storage', definition -> 'storage'))
    || case when definition ? 'validation' then jsonb_build_object('validation', definition -> 'validation') else '{}' end
    || case when definition ? 'enum' then jsonb_build_object('enum', coalesce(service_private.enum_values(definition), '[]')) else '{}' end
    || case when kind = 'array' and definition ? 'of'
      then jsonb_build_object('of', service_private.part_attributes(definition -> 'of')) else '{}' end
    || case when kind = 'array' and definition ? 'oneOf' then jsonb_build_object('oneOf', jsonb_build_object(
      'typeField', coalesce(definition #> '{oneOf,typeField}', '"type"'),
      'valueField', coalesce(definition #> '{oneOf,valueField}', '"value"'),
      'properties', service_private.declared_parts(definition #> '{oneOf,properties}'))) else '{}' end
    || case when kind = 'map' and definition ? 'properties'
      then jsonb_build_object('properties', service_private.declared_parts(definition -> 'properties')) else '{}' end;
end $$;

comment on function service_private.value_attributes(jsonb) is
  'Labels and rules of a declared property, or of a part of one, as service.properties.attributes has them; parts within.';
