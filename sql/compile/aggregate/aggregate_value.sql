create or replace function service_private.aggregate_value(collection text, aggregate jsonb, roles text[],
  out expression text, out sql_type text)
  language plpgsql stable as $$
declare
  fn text := aggregate ->> 'fn';
  property service.properties;
begin
  if aggregate ? 'field' then
    property := service_private.aggregate_property(collection, aggregate ->> 'field', roles);
    expression := service_private.aggregate_call(fn, format('t.%I', property.column_name), property);
    if expression is null then
      perform service.fail(400, 'INVALID_AGGREGATE_SELECT',
        format('%s does not apply to %s, which is of type %s.', fn, property.name, property.type),
        jsonb_build_object('field', property.name, 'collection', collection, 'function', fn, 'type', property.type,
          'sqlType', property.sql_type));
    end if;
  else
    expression := 'count(*)';
  end if;
  sql_type := case when fn = 'count' then 'bigint' when fn in ('sum', 'avg') then 'numeric' else property.sql_type end;
end $$;

comment on function service_private.aggregate_value(text, jsonb, text[]) is
  'SQL text and type of one aggregate {fn, field} of rows t. GW400 UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE, '
  'INVALID_AGGREGATE_SELECT {field, collection, function, type, sqlType} (a function that does not apply to the field''s type).';
