-- The limit stands rounded up as a literal, so that the planner sees its size and shapes stay few.
create or replace function service_private.page_rows(collection text, shape jsonb, conditions text[], sorted text) returns text
  language plpgsql stable as $$
begin
  return service_private.fill($sql$
      select <columns>
      from <table> t
      where <conditions?>
      order by <sorted?>
      limit <bucket>
      offset <offset?>
    $sql$,
    'columns', service_private.page_columns(collection, shape),
    'table', service_private.row_source(collection, shape),
    'conditions', service_private.conjunction(conditions),
    'sorted', sorted,
    'bucket', shape -> 'limit' ->> 'bucket',
    'offset', '$' || (shape ->> 'offset') || '::bigint');
end $$;

comment on function service_private.page_rows(text, jsonb, text[], text) is
  'SQL text of the rows that meet these conditions, in that order, as many as a page holds.';
