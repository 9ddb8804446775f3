create or replace function service_private.field_column(collection text, field text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(service_private.property_column(field_column.collection, field),
    (select p.column_name from service.properties p where p.collection = field_column.collection and p.column_name = field));
end $$;

comment on function service_private.field_column(text, text) is
  'The column that a rule or an index means: a property''s, a belongsTo relation''s foreign key, or by its own name. Null when '
  'there is none.';
