-- PostgreSQL does not enforce the dimensions of a column, so those of the stored value count. || would append a list of one dimension
-- less as one row, and unnest takes all rows apart.
create or replace function service_private.operation_bounds(served service.collections, operations jsonb)
  returns table (field text, code text, message text, condition text)
  language sql stable
begin atomic
  select b.field, b.code, b.message, b.condition
  from jsonb_each_text(operations) o
  join service_private.sent_fields(served, array[o.key]) s on true
  cross join lateral service_private.operation_expression(o.key, s.property, o.value, null) result
  cross join lateral (
    select o.key, r.code, r.message, format('coalesce(service_private.keeps_rule(%L, %L, %s, %s, %L), true)', (s.property).type, r.code,
      case (s.property).type when 'array' then format('to_jsonb(%s)', result) else 'null' end,
      case (s.property).type when 'number' then format('(%s)::text', result) else 'null' end, r.bound)
    from service_private.declared_rules(o.key, (s.property).type, service_private.value_rules((s.property).attributes)) r
    where r.code in ('enum', 'min', 'max', 'more_than', 'less_than', 'positive', 'negative', 'min_items', 'max_items')
    union all
    select o.key, 'type', format('%s must be an object.', o.key), format('coalesce(jsonb_typeof(t.%I::jsonb), ''object'') = ''object''',
      (s.property).column_name)
    where o.value = '$merge'
    union all
    select o.key, 'type', format('%s takes lists of the same dimensions as the items that it holds.', o.key),
      format('coalesce(array_ndims(%s) = coalesce(array_ndims(t.%I), %L), true)',
        service_private.operand_items(o.key, s.property, o.value), (s.property).column_name, (s.property).attributes ->> 'arrayDimensions')
    where o.value = '$push' and (s.property).sql_type not in ('json', 'jsonb')
    union all
    select o.key, 'type', format('%s holds lists, so no item of it can be pulled.', o.key),
      format('coalesce(array_ndims(t.%I), 1) = 1', (s.property).column_name)
    where o.value = '$pull' and (s.property).sql_type not in ('json', 'jsonb')
    union all
    select path, 'required', service_private.required_message(path, p.value),
      format('jsonb_typeof(service_private.sent_operand(r.%I, ''$merge'') -> %L) is distinct from ''null''', o.key, p.key)
    from jsonb_each(case o.value when '$merge' then (s.property).attributes -> 'properties' end) p
    cross join lateral format('%s.%s', o.key, p.key) path
    where p.value -> 'validation' -> 'required' = 'true'
  ) b (field, code, message, condition);
end;

comment on function service_private.operation_bounds(service.collections, jsonb) is
  'The bounds on the results of operations, by the rules of their fields: SQL text of a condition on the row, t, and the record of the '
  'body, r; with the code and the message of a violation.';
