create or replace function service_private.relation_source(relation service.relations, source_alias text, target_alias text,
  out source text, out conditions text[])
  language plpgsql stable as $$
declare
  link_alias text := target_alias || 'j';
  target text := service_private.table_name(relation.target) || ' ' || target_alias;
begin
  if relation.junction_table is null then
    source := target;
    conditions := service_private.column_pairs(target_alias, relation.target_columns, service_private.equals(relation, false),
      source_alias, relation.local_columns);
  else
    source := service_private.fill('<junction> join <target> on <links>',
      'junction', format('%s %s', service_private.junction_name(relation), link_alias),
      'target', target,
      'links', array_to_string(service_private.column_pairs(target_alias, relation.target_columns, service_private.equals(relation, false),
        link_alias, relation.junction_target), ' and '));
    conditions := service_private.column_pairs(link_alias, relation.junction_source, service_private.equals(relation, true),
      source_alias, relation.local_columns);
  end if;
  conditions := conditions || service_private.live_conditions(relation.target, target_alias);
end $$;

comment on function service_private.relation_source(service.relations, text, text) is
  'SQL text that reaches the related rows (alias target) of one row (alias source): what stands after FROM, and the conditions. '
  'Deleted rows that are kept are not among them.';
