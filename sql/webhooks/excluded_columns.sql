create or replace function service_private.excluded_columns(schema_name text, table_name text) returns text[]
  language sql stable
begin atomic
  select array(
    select p.column_name
    from service.collections c
    join service.properties p on p.collection = c.slug and p.excluded
    where c.schema_name = excluded_columns.schema_name and c.table_name = excluded_columns.table_name
    order by p.column_name);
end;

comment on function service_private.excluded_columns(text, text) is 'The columns of a table that its collections show to no client.';
