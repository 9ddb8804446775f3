-- sum and avg are numbers whatever the column's precision; min and max look like the column does.
create or replace function service.aggregate_columns(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  aggregate jsonb;
  property service.properties;
  fn text;
  value text;
  columns text[] := '{}';
begin
  for aggregate in select * from jsonb_array_elements(shape -> 'select') loop
    fn := aggregate ->> 'fn';
    if aggregate ? 'field' then
      property := service.aggregate_property(collection, aggregate ->> 'field', roles);
      if (fn in ('sum', 'avg') and property.type <> 'number') or (fn in ('min', 'max') and property.type not in ('number', 'string', 'date')) then
        perform service.fail(400, 'INVALID_AGGREGATE_SELECT', format('%s does not apply to %s, which is of type %s.', fn, property.name, property.type),
          jsonb_build_object('field', property.name, 'collection', collection, 'function', fn, 'type', property.type));
      end if;
      value := format('%s(t.%I%s)', fn, property.column_name, case when fn in ('min', 'max') and property.sql_type = 'uuid' then '::text' else '' end);
    else
      value := 'count(*)';
    end if;
    columns := columns || format('%s as %I',
      case fn
        when 'count' then value
        when 'avg' then format('trim_scale(%s)', service.column_value(value || '::numeric', 'numeric'))
        when 'sum' then service.column_value(value || '::numeric', 'numeric')
        else service.column_value(value, case property.sql_type when 'uuid' then 'text' else property.sql_type end)
      end, service.aggregate_alias(aggregate));
  end loop;
  return array_to_string(columns, ', ');
end $$;

comment on function service.aggregate_columns(text, jsonb, text[]) is
  'SQL text of the aggregates of a request under their names. GW400 UNKNOWN_AGGREGATE_FIELD, FIELD_NOT_READABLE, INVALID_AGGREGATE_SELECT (a function that does not apply to the field''s type).';

revoke all on function service.aggregate_columns(text, jsonb, text[]) from public;
