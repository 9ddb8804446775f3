create or replace function service.field_column(collection text, field text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(
    (select p.column_name from service.properties p where p.collection = field_column.collection and p.name = field_column.field),
    (select r.local_columns[1] from service.relations r
      where r.collection = field_column.collection and r.name = field_column.field
        and r.kind = 'belongsTo' and cardinality(r.local_columns) = 1),
    (select p.column_name from service.properties p where p.collection = field_column.collection and p.column_name = field_column.field));
end $$;

comment on function service.field_column(text, text) is
  'The column that a rule or an index means: a property''s, a belongsTo relation''s foreign key, or by its own name. Null when '
  'there is none.';

revoke all on function service.field_column(text, text) from public;
