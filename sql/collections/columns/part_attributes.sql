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
  'What service_private.value_attributes says of an element of an array or a part of a map, with its type and default, and '
  'who may read and write it (as the columns of service.properties say it of a property).';
