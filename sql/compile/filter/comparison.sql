create or replace function service_private.comparison(expression text, property service.properties, condition jsonb) returns text
  language plpgsql stable as $$
declare
  op record := service_private.operand(property.name, condition);
  is_json boolean := property.sql_type in ('json', 'jsonb');
  -- A file's map is an object; a JSON column that was there before may hold arrays (service_private.validated_fields).
  kind text := case when op.operator like 'array-%' and is_json and not property.attributes ? 'column' then 'array' else property.type end;
  is_json_array boolean := kind = 'array' and is_json;
  item_type text := case when kind = 'array' then coalesce((
      select service_private.sql_type(t.typelem) from pg_catalog.pg_type t
      where t.oid = to_regtype(property.sql_type) and t.typcategory = 'A' and service_private.base_type(t.typelem) = 'bytea'::regtype),
    rtrim(property.sql_type, '[]')) else property.sql_type end;
  -- A list reaches it for arrays only: service_private.operand refuses one for operators that take a text.
  text_value text := format(case when op.list then 'any (%s)' else '%s' end, service_private.value(op.parameter, 'text', op.list));
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
    or (op.takes = 'text' and not service_private.takes_patterns(property.collection, property.column_name))
    or (op.takes in ('scalar', 'list') and not is_json_array
      and not service_private.has_operator(item_type, case when kind = 'array' then '=' else op.symbol end)) then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR',
      format('Operator %s does not apply to %s, which is of type %s.', op.operator, property.name, kind),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator, 'type', kind));
  end if;
  if op.takes = 'nothing' then
    -- IS NOT NULL would ask of a composite whether each of its fields is.
    return case when exists (select from pg_catalog.pg_type t where t.oid = to_regtype(property.sql_type) and t.typtype = 'c')
      then format('%s is %s distinct from null', expression, case op.operator when 'is-null' then 'not' else '' end)
      else format(op.template, expression) end;
  elsif is_json_array then
    -- json_array_elements_text refuses what is no array, and finds nothing in NULL.
    return format('exists (select from %1$s_array_elements_text(case %1$s_typeof(%2$s) when ''array'' then %2$s end) e where e = %3$s)',
      property.sql_type, expression, text_value);
  elsif kind = 'array' and item_type = 'bytea' then
    -- Bytes are compared as they are shown, in base64.
    return format('exists (select from unnest(%s) e where %s = %s)', expression, service_private.scalar_value('e', 'bytea'), text_value);
  elsif op.takes = 'text' then
    return format(op.template, expression || case when property.sql_type in ('text', 'character varying') then '' else '::text' end,
      op.symbol, text_value);
  end if;
  return format(op.template, expression, case when kind = 'array' then op.symbol
    else service_private.operator_name(item_type, op.symbol) end,
    case when kind = 'binary' or service_private.is_composite(item_type)
      then service_private.shown_value(op.parameter, item_type, op.list, property.name)
      else service_private.value(op.parameter, item_type, op.list) end);
end $$;

comment on function service_private.comparison(text, service.properties, jsonb) is
  'SQL text of one condition [operator, parameter] on a column expression. GW400 as service_private.operand, INVALID_FILTER_FIELD (a type '
  'that cannot be filtered) or INVALID_FILTER_OPERATOR (not for this type).';
