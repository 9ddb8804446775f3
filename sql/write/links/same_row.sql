create or replace function service_private.same_row(collection text, alias text, columns text[], listed_alias text) returns text[]
  language plpgsql stable as $$
begin
  return service_private.column_pairs(alias, columns,
    array(
      select service_private.operator_name((service_private.find_column(collection, k.name)).sql_type, '=')
      from unnest(service_private.key_columns(collection)) with ordinality k (name, n) order by k.n),
    listed_alias, array(select 'key' || n from generate_series(1, cardinality(columns)) n order by n));
end $$;

comment on function service_private.same_row(text, text, text[], text) is
  'SQL text, as conditions, of "this row is that one of service_private.link_rows", by its key, which the row has in these columns.';
