create or replace function service_private.row_statement(collection text, answer text, conditions text[]) returns text
  language plpgsql stable as $fn$
begin
  return service_private.fill($$
    select <answer>
    from <table> t
    where <conditions>
  $$, 'answer', answer, 'table', service_private.table_name(collection), 'conditions', service_private.conjunction(conditions));
end $fn$;

comment on function service_private.row_statement(text, text, text[]) is
  'SQL text that answers something (SQL text) of the row of a collection, t, that meets these conditions.';
