create or replace function service_private.named_column(collection text, name text) returns text
  language plpgsql stable as $$
begin
  return coalesce(
    (select p.column_name from service.properties p where p.collection = named_column.collection and p.column_name = named_column.name),
    (select p.column_name from service.properties p where p.collection = named_column.collection and p.name = named_column.name),
    named_column.name);
end $$;

comment on function service_private.named_column(text, text) is
  'The column that a relation means: of this name, or of the property of this name, or one that is yet to be made.';
