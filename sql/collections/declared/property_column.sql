create or replace function service_private.property_column(collection text, name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(
    (select p.column_name from service.properties p where p.collection = property_column.collection and p.name = property_column.name),
    (select r.local_columns[1] from service.relations r
      where r.collection = property_column.collection and r.name = property_column.name
        and r.kind = 'belongsTo' and cardinality(r.local_columns) = 1));
end $$;

comment on function service_private.property_column(text, text) is
  'The column of a property, or the foreign key of a belongsTo relation, by its name in the API. Null when there is none.';
