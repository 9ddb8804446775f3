create or replace function service.field_type(collection text, field text) returns text
  language plpgsql stable as $$
declare
  found_column constant text := service.field_column(collection, field);
begin
  return (select p.sql_type from service.properties p where p.collection = field_type.collection and p.column_name = found_column);
end $$;

comment on function service.field_type(text, text) is
  'The type of the column that service.field_column finds, without a length; null when there is none.';

revoke all on function service.field_type(text, text) from public;
