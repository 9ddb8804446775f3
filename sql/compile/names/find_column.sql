create or replace function service_private.find_column(collection text, column_name text) returns service.properties
  language plpgsql stable as $$
begin
  return (
    select p from service.properties p
    where p.collection = find_column.collection and p.column_name = find_column.column_name
    limit 1);
end $$;

comment on function service_private.find_column(text, text) is 'The property that a column of the table is, null when it is none.';
