-- An identity column's next number is the table's own to draw.
create or replace function service_private.default_expression(table_name text, column_name text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select case when a.attidentity = '' and t.typdefault is null then coalesce(pg_get_expr(d.adbin, d.adrelid), 'null') end
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = to_regclass(default_expression.table_name) and a.attname = default_expression.column_name;
end;

comment on function service_private.default_expression(text, text) is
  'SQL text of what a column of a table (SQL text) holds when an insert does not name it; null where a statement cannot say it: an '
  'identity, a domain with a default.';
