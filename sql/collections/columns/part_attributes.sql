create or replace function service_private.part_attributes(definition jsonb) returns jsonb
  language plpgsql stable as $$
begin
  return service_private.value_attributes(definition) || jsonb_build_object('type', service_private.property_kind(definition))
    || case when nullif(definition -> 'defaultValue', 'null') is not null
      then jsonb_build_object('defaultValue', definition -> 'defaultValue') else '{}' end
    || case when definition -> 'excludeFromApi' = 'true' then '{"excluded": true, "readRoles": [], "writeRoles": []}'
      else jsonb_strip_nulls(jsonb_build_object(
        'readRoles', definition #> '{access,read}', 'writeRoles', definition #> '{access,write}')) end;
end $$;

comment on function service_private.part_attributes(jsonb) is
  'The service_private.value_attributes of an element of an array or a part of a map, with its type and default, and its readers and '
  'writers (as the columns of service.properties have them for a property).';
