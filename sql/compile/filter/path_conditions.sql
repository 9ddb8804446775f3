-- A nested path narrows its last collection to the rows that the chain of parents reaches; every link is checked.
create or replace function service_private.path_conditions(path jsonb, alias text, id text default '$%s') returns text[]
  language plpgsql stable as $$
declare
  depth integer := jsonb_array_length(path);
  above jsonb := path - (depth - 1) - (depth - 2);
  parent text;
  parent_alias text := alias || 'p';
  relation service.relations;
  source text;
  link_alias text := parent_alias || 'j';
begin
  if depth < 3 then
    return '{}';
  end if;
  parent := service_private.path_collection(above, null);
  relation := service_private.path_relation(path);
  source := service_private.table_name(parent) || ' ' || parent_alias;
  if relation.junction_table is not null then
    source := format('%s, %s %s', source, service_private.junction_name(relation), link_alias);
  end if;
  return array[service_private.exists_condition(true, source,
    service_private.link_pairs(relation, alias, link_alias, parent_alias)
      || service_private.key_conditions(parent, parent_alias, format(id, path ->> (depth - 2)))
      || service_private.live_conditions(parent, parent_alias) || service_private.path_conditions(above, parent_alias, id))];
end $$;

comment on function service_private.path_conditions(jsonb, text, text) is
  'SQL text, as conditions, that holds the rows of a nested path [slug, id, relation, …] to those its parents reach; none for a '
  'root path. id: format of the SQL text of an id, for what stands in the path.';
