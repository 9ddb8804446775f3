-- An existing link stays unchanged. Two concurrent requests for the same link create one.
create or replace function service_private.link_statement(relation service.relations, rows text) returns text
  language plpgsql stable as $fn$
declare
  key text[] := service_private.key_columns(relation.target);
begin
  if relation.junction_table is null then
    return (
      select service_private.fill($$
          <rows>
          update <target> t set
            <assignments>
          from source s, listed l
          where <conditions>
          returning ''
        $$,
        'rows', rows,
        'target', service_private.table_name(relation.target),
        'assignments', string_agg(format('%I = s.%I', u.target, u.local), E',\n' order by u.n) filter (where u.target <> all (key)),
        'conditions', service_private.conjunction(service_private.same_row(relation.target, 't', key, 'l')
          || coalesce(array_agg(format('t.%I = s.%I', u.target, u.local) order by u.n) filter (where u.target = any (key)), '{}')
          || format('(%s) is distinct from (%s)', service_private.column_list('t', relation.target_columns),
            service_private.column_list('s', relation.local_columns))))
      from unnest(relation.target_columns, relation.local_columns) with ordinality u (target, local, n));
  end if;
  return (
    with assignment as (
      select u.name, format('s.%I', u.local) as value, null as field, null as read_as
      from unnest(relation.junction_source, relation.local_columns) u (name, local)
      union all
      select u.name, 'l.link' || u.n, null, null from unnest(relation.junction_target) with ordinality u (name, n)
      where u.name <> all (relation.junction_source)
      union all
      select p.column_name, format('case when l.pivot ? %L then %s else %s end', p.name, p.expression,
        service_private.default_expression(service_private.junction_name(relation), p.column_name)), p.name, p.read_as
      from service_private.written_pivot(relation) p
    )
    select service_private.fill($$
        <rows>
        insert into <junction> as j (<columns>)
        select
          <values>
        from <sources>
        where <conditions>
        on conflict (<key>) do nothing
        returning ''
      $$,
      'rows', rows,
      'junction', service_private.junction_name(relation),
      'key', service_private.name_list(array(select distinct unnest(relation.junction_source || relation.junction_target))),
      'columns', string_agg(quote_ident(a.name), ', ' order by a.name),
      'values', string_agg(a.value, E',\n' order by a.name),
      'sources', array_to_string(array[E'source s\ncross join listed l'] || service_private.sent_record('coalesce(l.pivot, ''{}'')',
        array_agg(a.field order by a.name), array_agg(a.read_as order by a.name)), E'\ncross join lateral '),
      'conditions', service_private.conjunction(array['l.key1 is not null',
        service_private.exists_condition(false, service_private.junction_name(relation) || ' j',
        service_private.listed_links(relation))]))
    from assignment a);
end $fn$;

comment on function service_private.link_statement(service.relations, text) is
  'SQL text that links the source rows to those that are listed (rows: service_private.link_rows): a junction row each, or their foreign '
  'key, which takes them from whom they were linked to.';
