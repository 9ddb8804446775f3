create or replace function service_private.group_columns(collection text, shape jsonb, roles text[], shown boolean) returns text[]
  language plpgsql stable as $$
declare
  field text;
  property service.properties;
  expression text;
  columns text[] := '{}';
begin
  for field in select * from jsonb_array_elements_text(shape -> 'groupBy') loop
    property := service_private.aggregate_property(collection, field, roles);
    if not service_private.is_sortable(property.sql_type) then
      perform service.fail(400, 'INVALID_AGGREGATE_SELECT',
        format('%s cannot be grouped by %s, which is of type %s.', collection, property.name, property.type),
        jsonb_build_object('field', property.name, 'collection', collection, 'type', property.type, 'sqlType', property.sql_type));
    end if;
    expression := format('t.%I', property.column_name);
    columns := columns || case when shown
      then format('%s as %I', service_private.column_value(expression, property.sql_type), property.name)
      else expression end;
  end loop;
  return columns;
end $$;

comment on function service_private.group_columns(text, jsonb, text[], boolean) is
  'SQL text, as a list, of the columns that a request groups by, as they are shown or as they are. GW400 UNKNOWN_AGGREGATE_FIELD, '
  'FIELD_NOT_READABLE, INVALID_AGGREGATE_SELECT.';
