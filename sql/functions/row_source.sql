-- A function that PostgreSQL puts in place of its call is called wherever its rows are read, so that filters and limits reach its
-- tables. Every other is called once: before (service_private.call_statement), or in the statement (service_private.with_call).
create or replace function service_private.row_source(collection text, shape jsonb) returns text
  language plpgsql stable as $$
begin
  return case
    when not shape ? 'call' then service_private.table_name(collection)
    when shape #> '{call,rows}' is not null
      then format('unnest($%s::%s[])', shape #>> '{call,rows}', service_private.table_name(collection))
    when service_private.is_expanded((service_private.called_endpoint(shape)).oid) then service_private.function_rows(shape)
    else 'called'
  end;
end $$;

comment on function service_private.row_source(text, jsonb) is
  'SQL text, after FROM, of the rows that a read is of: a table, or what a function returns.';
