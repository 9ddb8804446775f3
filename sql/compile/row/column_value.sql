create or replace function service_private.column_value(expression text, sql_type text) returns text
  language sql stable
  return case when sql_type like '%[]' then service_private.array_value(expression, sql_type)
    else service_private.scalar_value(expression, sql_type) end;

comment on function service_private.column_value(text, text) is
  'SQL text of a column as it stands in JSON: service_private.scalar_value, for arrays item by item.';
