-- Rows that the caller does not see are not let go either: who sends back what it was shown takes nothing away from others.
create or replace function service.unlink_statement(relation service.relations, rows text, listed boolean) returns text
  language plpgsql stable as $fn$
declare
  conditions text := service.conjunction(service.link_conditions(relation)
    || service.exists_condition(listed, 'listed l', service.same_row(relation.target, 't', service.key_columns(relation.target), 'l')));
begin
  return case when relation.junction_table is null then service.fill($$
      <rows>
      update <target> t set
        <assignments>
      from source s
      where <conditions>
      returning ''
    $$,
    'rows', rows, 'target', service.table_name(relation.target), 'conditions', conditions,
    'assignments', (select string_agg(format('%I = null', c), E',\n') from unnest(service.moved_columns(relation)) c))
  else service.fill($$
      <rows>
      delete from <junction> j
      using source s, <target> t
      where <conditions>
      returning ''
    $$,
    'rows', rows, 'junction', service.junction_name(relation), 'target', service.table_name(relation.target), 'conditions', conditions)
  end;
end $fn$;

comment on function service.unlink_statement(service.relations, text, boolean) is
  'SQL text that ends links of the source rows: those to rows that are listed, or to all others (rows: service.link_rows). A row with '
  'the foreign key stays, and leads nowhere.';

revoke all on function service.unlink_statement(service.relations, text, boolean) from public;
