create or replace function service_private.argument_property(shape jsonb, field text, type oid) returns service.properties
  language sql stable
begin atomic
  select row('functions/' || (shape #>> '{call,function}'), argument_property.field, argument_property.field, 1,
    service_private.argument_type(argument_property.type), service_private.sql_type(argument_property.type),
    false, false, false, false, null, null, '{}')::service.properties;
end;

comment on function service_private.argument_property(jsonb, text, oid) is
  'An argument as a property, so that its value is read as that of a column.';
