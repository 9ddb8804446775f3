create or replace function service.part_attributes(definition jsonb) returns jsonb
  language plpgsql stable as $$
begin
  return service.value_attributes(definition) || jsonb_build_object('type', service.property_kind(definition))
    || case when nullif(definition -> 'defaultValue', 'null') is not null
      then jsonb_build_object('defaultValue', definition -> 'defaultValue') else '{}' end;
end $$;

comment on function service.part_attributes(jsonb) is
  'What service.value_attributes says of an element of an array or a part of a map, with its type and default.';

revoke all on function service.part_attributes(jsonb) from public;
