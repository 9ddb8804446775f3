-- An empty update still touches the row, so that triggers that stamp it run; a row of which nothing can be set is locked,
-- which the same policies decide.
create or replace function service_private.update_statement(
  served service.collections, sent text[], body text, answer text, conditions text[], sources text[] default '{}',
  sometimes text[] default '{}', operations jsonb default null, roles text[] default null) returns text
  language plpgsql stable as $fn$
begin
  return (
    with assignment (target, value, field, read_as) as (
      select w.column_name, w.expression, w.field, w.read_as
      from service_private.written_columns(served, 'update', sent, body, sometimes, operations, roles) w
      union all (
        select p.column_name, format('t.%I', p.column_name), null, null
        from service.properties p
        where p.collection = served.slug and not p.generated
          and not exists (select from service_private.written_columns(served, 'update', sent))
        order by p.name = any (served.key), p.position
        limit 1)
    )
    select case when count(*) = 0 then service_private.fill($$
        select ''
        from <table> t
        where <conditions>
        for update
      $$, 'table', service_private.table_name(served.slug), 'conditions', service_private.conjunction(conditions))
    else service_private.fill($$
        update <table> t set
          <assignments>
        from <sources?>
        where <conditions>
        returning <answer>
      $$,
      'table', service_private.table_name(served.slug),
      'assignments', string_agg(format('%I = %s', a.target, a.value), E',\n' order by a.target),
      'sources', (
        select array_to_string(sources || r.record, E'\ncross join lateral ')
        from service_private.sent_record(body, array_agg(a.field order by a.target), array_agg(a.read_as order by a.target)) r (record)
        where r.record is not null),
      'conditions', service_private.conjunction(conditions || array(
        select b.condition from service_private.operation_bounds(served, operations) b order by b.field, b.code)),
      'answer', answer) end
    from assignment a);
end $fn$;

comment on function service_private.update_statement(service.collections, text[], text, text, text[], text[], text[], jsonb, text[]) is
  'SQL text that writes a body with these names into the row, t, of which the conditions hold. body: SQL text of the body, jsonb; answer: '
  'what is returned of the row, a blank where nothing can be set; sources: what stands in FROM before the body''s record, if the body sets '
  'anything; sometimes: what some of the bodies leave out; operations: as of service_private.sent_operations, whose results must keep '
  'their bounds; roles: of the caller.';
