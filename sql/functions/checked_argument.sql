-- The planner puts service_private.fits_type in place and leaves the part that its type needs. Any value can be of a map.
create or replace function service_private.checked_argument(shape jsonb, field text, type oid, sent text, expression text) returns text
  language plpgsql stable as $$
declare
  property service.properties := service_private.argument_property(shape, field, type);
  message text := format('%s must be %s.', field, service_private.type_in_words(property.type, property.sql_type));
begin
  return case when property.type = 'map' then expression else service_private.fill($sql$
      case
        when coalesce(service_private.fits_type(nullif(<sent>, 'null'), <type>, <sql_type>), true) then <expression>
        else service.fail(400, 'VALIDATION_INVALID_VALUE', <message>, <details>)::<declared>
      end
    $sql$,
    'sent', sent,
    'type', quote_literal(property.type),
    'sql_type', quote_literal(property.sql_type),
    'expression', expression,
    'message', quote_literal(message),
    'details', quote_literal(jsonb_build_object('function', shape #> '{call,function}', 'violations',
      jsonb_build_array(jsonb_build_object('field', field, 'code', 'type', 'message', message)), 'messages', jsonb_build_array(message))),
    'declared', service_private.declared_type(type)) end;
end $$;

comment on function service_private.checked_argument(jsonb, text, oid, text, text) is
  'SQL text of an argument''s value that is an error where the sent value (SQL text, jsonb) cannot be of its type: GW400 '
  'VALIDATION_INVALID_VALUE {function, violations, messages}.';
