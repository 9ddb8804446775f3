-- Links to rows that the caller does not see are not removed either: a caller who sends back a response removes
-- nothing that others linked.
create or replace function service_private.unlink_statement(relation service.relations, rows text, listed boolean) returns text
  language plpgsql stable as $fn$
declare
  conditions text := service_private.conjunction(service_private.link_conditions(relation)
    || service_private.exists_condition(listed, 'listed l',
      service_private.same_row(relation.target, 't', service_private.key_columns(relation.target), 'l')));
begin
  return case when relation.junction_table is null then service_private.fill($$
      <rows>
      update <target> t set
        <assignments>
      from source s
      where <conditions>
      returning ''
    $$,
    'rows', rows, 'target', service_private.table_name(relation.target), 'conditions', conditions,
    'assignments', (select string_agg(format('%I = null', c), E',\n') from unnest(service_private.moved_columns(relation)) c))
  else service_private.fill($$
      <rows>
      delete from <junction> j
      using source s, <target> t
      where <conditions>
      returning ''
    $$,
    'rows', rows, 'junction', service_private.junction_name(relation), 'target', service_private.table_name(relation.target), 'conditions',
      conditions)
  end;
end $fn$;

comment on function service_private.unlink_statement(service.relations, text, boolean) is
  'SQL text that ends links of the source rows: those to rows that are listed, or to all others (rows: service_private.link_rows). A row '
  'with the foreign key stays, and leads nowhere.';
