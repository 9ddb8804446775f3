create or replace function service_private.included_rows(relation service.relations, parent_rows text, back text[], node jsonb,
  roles text[])
  returns text
  language plpgsql stable as $$
declare
  equals text[] := service_private.equals(relation, false);
  back_equals text[];
  source text := service_private.table_name(relation.target) || ' t';
  columns text[] := '{t.*}';
  reached text;
begin
  if relation.junction_table is null then
    reached := service_private.reached_by('t', relation.target_columns, equals, parent_rows, relation.local_columns);
  else
    source := service_private.fill('<junction> j join <target> on <links>',
      'junction', service_private.junction_name(relation),
      'target', source,
      'links', array_to_string(service_private.column_pairs('t', relation.target_columns, equals, 'j', relation.junction_target), ' and '));
    columns := columns
      || array(
        select format('j.%I as %I', j.name, j.alias)
        from unnest(relation.junction_source, back) with ordinality j (name, alias, n) order by j.n)
      || array(
        select format('j.%I as %I', p.column_name, p.alias)
        from service_private.pivot_columns(relation, service_private.unused_prefix(relation.target)) p order by p.n);
    back_equals := service_private.equals(relation, true);
    reached := service_private.reached_by('j', relation.junction_source, back_equals, parent_rows, relation.local_columns);
  end if;
  return service_private.fill($sql$
      select <columns>
      from <source>
      where <conditions>
    $sql$,
    'columns', array_to_string(columns, ', '),
    'source', source,
    'conditions', service_private.conjunction(array['ctx.ok', reached]
      || service_private.live_conditions(relation.target, 't')
      || service_private.filter_conditions(relation.target, 't', node, roles)
      || case when relation.kind = 'belongsTo' and node ? 'limit' then array[format('$%s::bigint > 0', node ->> 'limit')] else '{}' end));
end $$;

comment on function service_private.included_rows(service.relations, text, text[], jsonb, text[]) is
  'SQL text of the rows that a relation leads to from these parent rows, as an include node asks for them, in no order. Those of a '
  'junction have its columns beside their own: the ones that lead back under the names in back, its own as service_private.pivot_columns.';
