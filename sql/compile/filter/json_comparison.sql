create or replace function service_private.json_comparison(expression text, property service.properties, path text[], condition jsonb)
  returns text
  language plpgsql stable as $$
declare
  op record := service_private.operand(property.name, condition);
  leaf text := service_private.json_path(expression, path);
begin
  if property.sql_type not in ('json', 'jsonb') or op.operator like 'array-%' then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR',
      format('Operator %s does not apply to a path inside %s.', op.operator, property.name),
      jsonb_build_object('field', property.name, 'collection', property.collection, 'operator', op.operator));
  end if;
  if condition ->> 2 in ('number', 'decimal') and op.operator in ('>', '>=', '<', '<=') then
    -- Rows whose leaf is no number are skipped; the CASE keeps the cast from seeing them. Exponents are held to what numeric
    -- can hold.
    return service_private.fill(
      'case when <leaf> ~ ''^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$'' then <leaf>::numeric <symbol> <value> else false end',
      'leaf', leaf, 'symbol', op.symbol, 'value', service_private.value(op.parameter, 'numeric'));
  end if;
  return format(op.template, leaf, op.symbol, service_private.value(op.parameter, 'text', op.list));
end $$;

comment on function service_private.json_comparison(text, service.properties, text[], jsonb) is
  'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON '
  'number. GW400 as service_private.operand, INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';
