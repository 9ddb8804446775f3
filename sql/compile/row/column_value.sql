create or replace function service.column_value(expression text, sql_type text) returns text
  language sql stable
  return case when sql_type like '%[]' then service.array_value(expression, sql_type) else service.scalar_value(expression, sql_type) end;

comment on function service.column_value(text, text) is
  'SQL text of a column as it stands in JSON: service.scalar_value, for arrays item by item.';

revoke all on function service.column_value(text, text) from public;
