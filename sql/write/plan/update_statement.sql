-- An empty update still touches the row, so that triggers that stamp it run; a row of which nothing can be set is locked,
-- which the same policies decide.
create or replace function service.update_statement(served service.collections, sent text[], source text, body text, condition text, answer text) returns text
  language sql stable
begin atomic
  with assignment (target, value, field, read_as) as (
    select w.column_name, w.expression, w.field, w.read_as from service.written_columns(served, 'update', sent) w
    union all (
      select p.column_name, format('t.%I', p.column_name), null, null
      from service.properties p
      where p.collection = served.slug and not p.generated and not exists (select from service.written_columns(served, 'update', sent))
      order by p.name = any (served.key), p.position
      limit 1)
  )
  select case when count(*) = 0 then format('select '''' from %I.%I t where %s for update', served.schema_name, served.table_name, condition)
    else format('update %I.%I t set %s%s where %s returning %s', served.schema_name, served.table_name,
      string_agg(format('%I = %s', a.target, a.value), ', ' order by a.target),
      coalesce(concat(' from ', source) || service.sent_record(body, array_agg(a.field order by a.target), array_agg(a.read_as order by a.target)), ''),
      condition, answer) end
  from assignment a;
end;

comment on function service.update_statement(service.collections, text[], text, text, text, text) is
  'SQL text that writes a body with these names into the row, t, of which the condition holds. source: SQL text in FROM before the body''s record, or null; body: SQL text of the body, jsonb; answer: what is returned of the row; a blank where nothing can be set.';

revoke all on function service.update_statement(service.collections, text[], text, text, text, text) from public;
