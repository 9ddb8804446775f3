-- A nested path narrows its last collection to the rows that the chain of parents reaches; every link is checked.
create or replace function service.scope(path jsonb, alias text) returns text
  language plpgsql stable as $$
declare
  depth integer := jsonb_array_length(path);
  parent text;
  parent_alias text := alias || 'p';
  relation service.relations;
begin
  if depth < 3 then
    return null;
  end if;
  parent := service.path_collection(path - (depth - 1) - (depth - 2));
  relation := service.find_relation(parent, path ->> (depth - 1));
  return (
    select format(' and exists (select from %I.%I %s%s where %s%s%s%s)', c.schema_name, c.table_name, parent_alias,
      case when relation.junction_table is null then '' else format(', %I.%I %sj', relation.junction_schema, relation.junction_table, parent_alias) end,
      case when relation.junction_table is null then service.column_pairs(alias, relation.target_columns, service.equals(relation, false), parent_alias, relation.local_columns)
        else service.column_pairs(alias, relation.target_columns, service.equals(relation, false), parent_alias || 'j', relation.junction_target) || ' and '
          || service.column_pairs(parent_alias || 'j', relation.junction_source, service.equals(relation, true), parent_alias, relation.local_columns) end,
      service.key_predicate(parent, parent_alias, path ->> (depth - 2)),
      service.live(parent, parent_alias),
      coalesce(service.scope(path - (depth - 1) - (depth - 2), parent_alias), ''))
    from service.collections c where c.slug = parent);
end $$;

comment on function service.scope(jsonb, text) is
  'SQL text (beginning with and) that holds the rows of a nested path [slug, id, relation, …] to those its parents reach; null for a root path.';

revoke all on function service.scope(jsonb, text) from public;
