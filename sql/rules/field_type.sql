create or replace function service_private.field_type(collection text, field text) returns text
  language plpgsql stable as $$
declare
  found_column constant text := service_private.field_column(collection, field);
begin
  return (select p.sql_type from service.properties p where p.collection = field_type.collection and p.column_name = found_column);
end $$;

comment on function service_private.field_type(text, text) is
  'The type of the column that service_private.field_column finds, without a length; null when there is none.';
