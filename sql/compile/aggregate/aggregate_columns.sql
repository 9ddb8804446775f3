-- sum and avg are numbers whatever the column's precision; min and max look like the column does.
create or replace function service.aggregate_columns(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  aggregate jsonb;
  value record;
  columns text[] := '{}';
begin
  for aggregate in select * from jsonb_array_elements(shape -> 'select') loop
    value := service.aggregate_value(collection, aggregate, roles);
    columns := columns || format(case aggregate ->> 'fn' when 'avg' then 'trim_scale(%s) as %I' else '%s as %I' end,
      service.column_value(value.expression, value.sql_type), service.aggregate_alias(aggregate));
  end loop;
  return array_to_string(columns, ', ');
end $$;

comment on function service.aggregate_columns(text, jsonb, text[]) is
  'SQL text of the aggregates of a request under their names. GW400 as service.aggregate_value.';

revoke all on function service.aggregate_columns(text, jsonb, text[]) from public;
