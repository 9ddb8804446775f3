create or replace function service_private.undeclared_column(served service.collections, column_name text) returns service.properties
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select row(
    served.slug, a.attname, a.attname, a.attnum, service_private.property_type(a.atttypid), service_private.sql_type(a.atttypid),
      a.attnotnull, false,
    a.attidentity = 'a' or a.attgenerated <> '', false, null, null, '{}')::service.properties
  from pg_attribute a
  where a.attrelid = to_regclass(service_private.table_name(served.slug)) and a.attname = undeclared_column.column_name
    and a.attnum > 0 and not a.attisdropped
    and not exists (select from service.properties p where p.collection = served.slug and p.column_name = a.attname);
end;

comment on function service_private.undeclared_column(service.collections, text) is
  'A column of the collection''s table that the collection does not declare, as a property under its own name; null when there is none.';
