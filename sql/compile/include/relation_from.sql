create or replace function service.relation_from(relation service.relations, source_alias text, target_alias text) returns text
  language sql stable
begin atomic
  select case
    when relation.junction_table is null then
      format('%I.%I %s where %s', c.schema_name, c.table_name, target_alias,
        service.column_pairs(target_alias, relation.target_columns, service.equals(relation, false), source_alias, relation.local_columns))
    else
      format('%I.%I %5$sj join %3$I.%4$I %5$s on %6$s where %7$s', relation.junction_schema, relation.junction_table, c.schema_name, c.table_name, target_alias,
        service.column_pairs(target_alias, relation.target_columns, service.equals(relation, false), target_alias || 'j', relation.junction_target),
        service.column_pairs(target_alias || 'j', relation.junction_source, service.equals(relation, true), source_alias, relation.local_columns))
  end || service.live(relation.target, target_alias)
  from service.collections c
  where c.slug = relation.target;
end;

comment on function service.relation_from(service.relations, text, text) is
  'SQL text after FROM that reaches the related rows (alias target) of one row (alias source), with its WHERE begun. Deleted ones that are kept are not among them.';

revoke all on function service.relation_from(service.relations, text, text) from public;
