create or replace function service_private.link_state(relation service.relations, rows text) returns text
  language plpgsql stable as $fn$
declare
  key text[] := service_private.key_columns(relation.target);
  keys text[] := array(select 'key' || n from generate_series(1, cardinality(key)) n order by n);
  same text[] := service_private.same_row(relation.target, 'k', keys, 'l');
begin
  return service_private.fill($$
    <rows>,
    linked as materialized (
      select <keys>
      from source s
      cross join <target> t
      <junction?>
      where <conditions>
    )
    select jsonb_build_object(
      'empty', (select bool_or(<empty>) from source s),
      'unknown', (select min(l.n) from listed l where l.key1 is null),
      'lacking', (select min(l.n) from listed l where l.key1 is not null and <lacking>),
      'kept', exists (select from linked k where <kept>))
  $$,
  'rows', rows,
  'keys', (select string_agg(format('t.%I as key%s', k.name, k.n), ', ' order by k.n) from unnest(key) with ordinality k (name, n)),
  'target', service_private.table_name(relation.target),
  'junction', case when relation.junction_table is not null then format('cross join %s j', service_private.junction_name(relation)) end,
  'conditions', service_private.conjunction(service_private.link_conditions(relation)),
  'empty', (select string_agg(format('s.%I is null', c), ' or ') from unnest(relation.local_columns) c),
  'lacking', service_private.exists_condition(false, 'linked k', same),
  'kept', service_private.exists_condition(false, 'listed l', same));
end $fn$;

comment on function service_private.link_state(service.relations, text) is
  'SQL text of the state of the caller''s visible links against the listed rows (service_private.link_rows): {empty: the source has no key '
  'to link by (null: there is no source row), unknown: a listed row that does not exist, lacking: a row that is not linked, kept: others '
  'are linked}.';
