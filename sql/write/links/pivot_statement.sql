create or replace function service_private.pivot_statement(relation service.relations, rows text) returns text
  language plpgsql stable as $fn$
begin
  return (
    select service_private.fill($$
        <rows>
        update <junction> j set
          <assignments>
        from source s
        cross join listed l
        cross join lateral <record>
        where <conditions>
        returning ''
      $$,
      'rows', rows,
      'junction', service_private.junction_name(relation),
      'assignments', string_agg(
        format('%I = case when l.pivot ? %L then %s else j.%I end', p.column_name, p.name, p.expression, p.column_name), E',\n'),
      'record', service_private.sent_record('l.pivot', array_agg(p.name), array_agg(p.read_as)),
      'conditions', service_private.conjunction(service_private.listed_links(relation) || '{l.pivot is not null}'))
    from service_private.written_pivot(relation) p
    having count(*) > 0);
end $fn$;

comment on function service_private.pivot_statement(service.relations, text) is
  'SQL text that writes what the listed rows (rows: service_private.link_rows) bring along for links that are there; null where the '
  'junction has no column that clients write.';
