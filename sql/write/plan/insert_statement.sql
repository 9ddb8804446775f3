create or replace function service.insert_statement(served service.collections, sent text[], source text, body text, condition text, answer text) returns text
  language sql stable
begin atomic
  select format('insert into %I.%I as t %s returning %s', served.schema_name, served.table_name,
    case when count(*) = 0 then 'default values'
      else format('(%s) select %s%s', string_agg(quote_ident(w.column_name), ', ' order by w.column_name), string_agg(w.expression, ', ' order by w.column_name),
        concat(' from ', source, service.sent_record(body, array_agg(w.field order by w.column_name), array_agg(w.read_as order by w.column_name)), ' where ' || condition)) end,
    answer)
  from service.written_columns(served, 'create', sent) w;
end;

comment on function service.insert_statement(service.collections, text[], text, text, text, text) is
  'SQL text that inserts a body with these names. source: SQL text in FROM before the body''s record, or null; body: SQL text of the body, jsonb; condition: of the row to be inserted at all, or null; answer: what is returned of the row, t.';

revoke all on function service.insert_statement(service.collections, text[], text, text, text, text) from public;
