-- A file's map is an object; a JSON column that was there before holds any JSON.
create or replace function service_private.value_spec(property service.properties, operation text default null) returns jsonb
  language sql stable
  return jsonb_strip_nulls(jsonb_build_object(
    'column', property.column_name,
    'type', case when service_private.is_composite(property.sql_type) then 'composite' else property.type end,
    'sqlType', case when property.type <> 'map' or not property.attributes ? 'column' then property.sql_type end,
    'rules', case when operation is null then service_private.value_rules(property.attributes)
      else service_private.operand_rules(service_private.value_rules(property.attributes), operation) end,
    'maxLength', case property.type when 'string' then property.attributes -> 'maxLength' end));

comment on function service_private.value_spec(service.properties, text) is
  'How a value of a property is judged, or the operand of an operation on it: {column, type, sqlType?, rules?, maxLength?}.';
