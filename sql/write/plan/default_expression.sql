-- An identity column's next number is the table's own to draw.
create or replace function service.default_expression(served service.collections, column_name text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select case when a.attidentity = '' and t.typdefault is null then coalesce(pg_get_expr(d.adbin, d.adrelid), 'null') end
  from pg_attribute a
  join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = to_regclass(service.table_name(served.slug)) and a.attname = column_name;
end;

comment on function service.default_expression(service.collections, text) is
  'SQL text of what a column holds when a create does not name it; null where a statement cannot say it: an identity, a domain with a '
  'default.';

revoke all on function service.default_expression(service.collections, text) from public;
