-- Without fields there is the key in every row, and nothing to collapse.
create or replace function service.page_columns(collection text, shape jsonb) returns text
  language sql stable
  return case when shape ? 'distinct' and shape ? 'fields'
    then (select 'distinct ' || string_agg(format('t.%I', p.column_name), ', ' order by p.position)
      from service.properties p where p.collection = page_columns.collection and not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name])
    else 't.*' end;

comment on function service.page_columns(text, jsonb) is 'SQL text of what a page selects: whole rows, or for a distinct read the named columns, each combination once.';

revoke all on function service.page_columns(text, jsonb) from public;
