create or replace function service_private.insert_statement(
  served service.collections, sent text[], body text, answer text, sources text[] default '{}', conditions text[] default '{}',
  conflict text default null, sometimes text[] default '{}', parent jsonb default null) returns text
  language plpgsql stable as $fn$
begin
  return (
    with assignment (target, value, field, read_as) as (
      select w.column_name, w.expression, w.field, w.read_as
      from service_private.written_columns(served, 'create', sent, body, sometimes) w
      where not coalesce(parent -> 'columns' ? w.column_name, false)
      union all
      select c.key, format('s.%I', c.value), null, null from jsonb_each_text(parent -> 'columns') c
    )
    select case when count(*) = 0 then service_private.fill($$
        insert into <table> as t default values
        returning <answer>
      $$, 'table', service_private.table_name(served.slug), 'answer', answer)
    else service_private.fill($$
        insert into <table> as t (<columns>)
        select
          <values>
        from <sources>
        where <conditions?>
        <conflict?>
        returning <answer>
      $$,
      'table', service_private.table_name(served.slug),
      'columns', string_agg(quote_ident(a.target), ', ' order by a.target),
      'values', string_agg(a.value, E',\n' order by a.target),
      'sources', array_to_string(sources
        || case when parent is not null then format(E'(\n  %s\n) s', service_private.indented(parent ->> 'rows', 2)) end
        || service_private.sent_record(body, array_agg(a.field order by a.target), array_agg(a.read_as order by a.target)),
        E'\ncross join lateral '),
      'conditions', service_private.conjunction(conditions),
      'conflict', conflict,
      'answer', answer) end
    from assignment a);
end $fn$;

comment on function service_private.insert_statement(service.collections, text[], text, text, text[], text[], text, text[], jsonb) is
  'SQL text that inserts a body with these names. body: SQL text of the body, jsonb; answer: what is returned of the row, t; '
  'sources: what stands in FROM before the body''s record; conditions: of the row to be inserted at all; conflict: what an upsert adds '
  '(service_private.conflict_clause); sometimes: what some of the bodies leave out; parent: {rows: SQL text, columns: {of the row: of the '
  'parent}} that the row gets from its parent, whatever the body says.';
