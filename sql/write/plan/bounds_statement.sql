create or replace function service_private.bounds_statement(served service.collections, operations jsonb, conditions text[]) returns text
  language plpgsql stable as $body$
#variable_conflict use_column
begin
  return (
    select service_private.fill($$
        select jsonb_agg(jsonb_build_object('field', b.field, 'code', b.code, 'message', b.message) order by b.field, b.code)
        from <table> t
        cross join lateral <record>
        cross join lateral (values <bounds>) b (field, code, message, holds)
        where not b.holds
          and <conditions>
      $$,
      'table', service_private.table_name(served.slug),
      'record', (
        select service_private.sent_record('$1', array_agg(o.name order by o.name), array_agg('jsonb'::text order by o.name))
        from jsonb_object_keys(operations) o (name)),
      'bounds', string_agg(format('(%L, %L, %L, %s)', b.field, b.code, b.message, b.condition), E',\n' order by b.field, b.code),
      'conditions', service_private.conjunction(conditions))
    from service_private.operation_bounds(served, operations) b
    having count(*) > 0);
end $body$;

comment on function service_private.bounds_statement(service.collections, jsonb, text[]) is
  'SQL text ($1 = body) that tells which bounds these operations would break of the row, t, of which the conditions hold: '
  '[{field, code, message}], null when none; null without bounds.';
