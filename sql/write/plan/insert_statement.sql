create or replace function service.insert_statement(
  served service.collections, sent text[], body text, answer text, sources text[] default '{}', conditions text[] default '{}',
  conflict text default null, sometimes text[] default '{}') returns text
  language plpgsql stable as $fn$
begin
  return (
    select case when count(*) = 0 then service.fill($$
        insert into <table> as t default values
        returning <answer>
      $$, 'table', service.table_name(served.slug), 'answer', answer)
    else service.fill($$
        insert into <table> as t (<columns>)
        select
          <values>
        from <sources>
        where <conditions?>
        <conflict?>
        returning <answer>
      $$,
      'table', service.table_name(served.slug),
      'columns', string_agg(quote_ident(w.column_name), ', ' order by w.column_name),
      'values', string_agg(w.expression, E',\n' order by w.column_name),
      'sources', array_to_string(sources || service.sent_record(
        body, array_agg(w.field order by w.column_name), array_agg(w.read_as order by w.column_name)), E'\ncross join lateral '),
      'conditions', service.conjunction(conditions),
      'conflict', conflict,
      'answer', answer) end
    from service.written_columns(served, 'create', sent, body, sometimes) w);
end $fn$;

comment on function service.insert_statement(service.collections, text[], text, text, text[], text[], text, text[]) is
  'SQL text that inserts a body with these names. body: SQL text of the body, jsonb; answer: what is returned of the row, t; '
  'sources: what stands in FROM before the body''s record; conditions: of the row to be inserted at all; conflict: what an upsert adds '
  '(service.conflict_clause); sometimes: what some of the bodies leave out.';

revoke all on function service.insert_statement(service.collections, text[], text, text, text[], text[], text, text[]) from public;
