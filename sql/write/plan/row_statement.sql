create or replace function service.row_statement(collection text, answer text, conditions text[]) returns text
  language plpgsql stable as $fn$
begin
  return service.fill($$
    select <answer>
    from <table> t
    where <conditions>
  $$, 'answer', answer, 'table', service.table_name(collection), 'conditions', service.conjunction(conditions));
end $fn$;

comment on function service.row_statement(text, text, text[]) is
  'SQL text that answers something (SQL text) of the row of a collection, t, that meets these conditions.';

revoke all on function service.row_statement(text, text, text[]) from public;
