create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record;
  -- '[3]' is a list parameter, '3' a scalar one.
  list boolean := jsonb_typeof(condition -> 1) = 'array';
  parameter integer := case when list then condition -> 1 ->> 0 else condition ->> 1 end;
  kind text := case when property.type in ('reference', 'relation') then 'string' else property.type end;
  json_array boolean := kind = 'array' and property.sql_type in ('json', 'jsonb');
begin
  select o.* into op from service.operators() o where o.operator = condition ->> 0;
  if op is null then
    perform service.fail(400, 'UNKNOWN_FILTER_OPERATOR', format('There is no operator %s.', condition ->> 0),
      jsonb_build_object('field', property.name, 'operator', condition ->> 0,
        'validOperators', (select jsonb_agg(o.operator) from service.operators() o)));
  end if;
  if kind in ('vector', 'geopoint') then
    perform service.fail(400, 'INVALID_FILTER_FIELD', format('Field %s of %s cannot be filtered.', property.name, property.collection),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'type', kind));
  end if;
  if not kind = any (op.families) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      format('exists (select from jsonb_array_elements_text(%s::jsonb) e where e = %s)', expression,
        case when list then format('any ($%s::text[])', parameter) else format('$%s::text', parameter) end)
    when op.takes = 'text' then
      format(op.template, case when property.sql_type in ('text', 'character varying') then expression else expression || '::text' end, format('$%s::text', parameter))
    when kind = 'array' then
      -- The column's type is already an array: one element is cast to its element type.
      format(op.template, expression, service.value(parameter, case when list then property.sql_type else rtrim(property.sql_type, '[]') end))
    else
      format(op.template, expression, service.value(parameter, property.sql_type, list))
  end;
end $$;

comment on function service.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 UNKNOWN_FILTER_OPERATOR, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

revoke all on function service.comparison(text, service.properties, jsonb) from public;
