create or replace function service.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service.operand(property.name, condition);
  is_json boolean := property.sql_type in ('json', 'jsonb');
  -- A file's map is an object; a JSON column that was there before may hold arrays (service.judged_fields).
  kind text := case when op.operator like 'array-%' and is_json and not property.attributes ? 'column' then 'array' else property.type end;
  symbol text := split_part(op.template, ' ', 2);
  json_array boolean := kind = 'array' and is_json;
  composite boolean := exists (select from pg_catalog.pg_type t where t.oid = to_regtype(property.sql_type) and t.typtype = 'c');
  item_type text := case when kind = 'array' then rtrim(property.sql_type, '[]') else property.sql_type end;
  binary_array boolean := kind = 'array' and item_type = 'bytea';
begin
  -- JSON numbers compare as numbers: 2.0 is 2, and 1.5 is more than 1. Whole ones keep the column's type, and so its index.
  if condition ->> 2 = 'decimal' and item_type in ('smallint', 'integer', 'bigint') then
    expression := expression || case kind when 'array' then '::numeric[]' else '' end;
    item_type := 'numeric';
  end if;
  if kind in ('vector', 'geopoint') then
    perform service.fail(400, 'INVALID_FILTER_FIELD', format('Field %s of %s cannot be filtered.', property.name, property.collection),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'type', kind));
  end if;
  if not kind = any (op.families)
    or (op.takes = 'text' and not service.takes_patterns(property.collection, property.column_name))
    or (op.takes in ('scalar', 'list') and not json_array and not service.has_operator(item_type,
      case when kind = 'array' then '=' else symbol end)) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  return case
    when json_array and op.takes <> 'nothing' then
      -- json_array_elements_text refuses what is no array, and finds nothing in NULL.
      format('exists (select from %3$s_array_elements_text(case %3$s_typeof(%1$s) when ''array'' then %1$s end) e where e = %2$s)', expression,
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end, property.sql_type)
    -- Bytes are compared as they are shown, in base64.
    when binary_array and op.takes <> 'nothing' then
      format('exists (select from unnest(%s) e where %s = %s)', expression, service.scalar_value('e', 'bytea'),
        case when op.list then format('any ($%s::text[])', op.parameter) else format('$%s::text', op.parameter) end)
    -- IS NOT NULL would ask whether each field of the composite is.
    when op.takes = 'nothing' and composite then
      format('%s is %s distinct from null', expression, case op.operator when 'is-null' then 'not' else '' end)
    when op.takes = 'text' then
      format(op.template, case when property.sql_type in ('text', 'character varying') then expression else expression || '::text' end, format('$%s::text', op.parameter))
    when kind <> 'array' and op.takes in ('scalar', 'list') then
      format(replace(op.template, format(' %s ', symbol), format(' %s ', replace(service.operator_name(item_type, symbol), '%', '%%'))), expression, service.value(op.parameter, item_type, op.list))
    else
      format(op.template, expression, service.value(op.parameter, item_type, op.list))
  end;
end $$;

comment on function service.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 as service.operand, INVALID_FILTER_FIELD (a type that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';

revoke all on function service.comparison(text, service.properties, jsonb) from public;
