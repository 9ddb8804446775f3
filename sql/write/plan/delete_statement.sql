create or replace function service_private.delete_statement(
  served service.collections, stamp text, conditions text[], source text default null, answer text default $$''$$) returns text
  language sql stable
begin atomic
  select case when stamp is null then service_private.fill($$
      delete from <table> t
      using <source?>
      where <conditions>
      returning <answer>
    $$, 'table', service_private.table_name(served.slug), 'source', source, 'conditions', service_private.conjunction(conditions), 'answer',
      answer)
  else service_private.fill($$
      update <table> t set
        <stamp> = now()
      from <source?>
      where <conditions>
      returning <answer>
    $$, 'table', service_private.table_name(served.slug), 'stamp', quote_ident(stamp), 'source', source,
      'conditions', service_private.conjunction(conditions), 'answer', answer) end;
end;

comment on function service_private.delete_statement(service.collections, text, text[], text, text) is
  'SQL text that deletes the row, t, of which the conditions hold, or stamps this column of it. source: what the conditions name '
  'beside it; answer: what is returned of the row, a blank.';
