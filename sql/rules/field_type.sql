create or replace function service.field_type(collection text, field text) returns text
  language plpgsql stable as $$
begin
  return (
    select p.sql_type from service.properties p
    where p.collection = field_type.collection and p.column_name = service.field_column(field_type.collection, field_type.field));
end $$;

comment on function service.field_type(text, text) is
  'The type of the column that service.field_column finds, without a length; null when there is none.';

revoke all on function service.field_type(text, text) from public;
