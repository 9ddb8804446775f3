create or replace function service.json_comparison(expression text, property service.properties, path text, condition jsonb) returns text
  language plpgsql stable as $$
declare
  leaf text := service.json_path(expression, path);
  op text := condition ->> 0;
  list boolean := jsonb_typeof(condition -> 1) = 'array';
begin
  if property.type not in ('map', 'array') or property.sql_type not in ('json', 'jsonb') or op like 'array-%' then
    perform service.fail(400, 'INVALID_FILTER_OPERATOR', format('Operator %s does not apply to the path %s.', op, path),
      jsonb_build_object('field', path, 'collection', property.collection, 'operator', op));
  end if;
  if condition ->> 2 = 'number' and op in ('>', '>=', '<', '<=') then
    -- Rows whose leaf is no number are skipped; the CASE keeps the cast from seeing them.
    return format('case when %1$s ~ ''^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$'' then %1$s::numeric %2$s $%3$s::numeric else false end', leaf, op, condition ->> 1);
  end if;
  return format((select o.template from service.operators() o where o.operator = op), leaf,
    service.value(case when list then condition -> 1 ->> 0 else condition ->> 1 end::integer, 'text', list));
end $$;

comment on function service.json_comparison(text, service.properties, text, jsonb) is
  'SQL text of one condition on a path inside a JSON column: text comparison; numeric when an ordering operator was given a JSON number. GW400 INVALID_FILTER_OPERATOR for array operators or a column that is not JSON.';

revoke all on function service.json_comparison(text, service.properties, text, jsonb) from public;
