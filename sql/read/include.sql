-- Included relations, set-based: one query a hop for all rows of the level above, never one a row. Every level is a
-- materialized CTE of its rows and, on the way back up, one of their JSON grouped by the column that leads to them.
create or replace function service.include(collection text, rows_name text, node jsonb, roles text[], out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
declare
  name text;
  child jsonb;
  relation service.relations;
  n integer := 0;
  part record;
begin
  ctes := '';
  joins := '';
  columns := '';
  for name, child in
    select r.key, r.value from jsonb_each(node -> 'include') r where r.key <> '*'
    union all
    select r.name, node -> 'include' -> '*' from service.relations r
    where r.collection = include.collection and node -> 'include' ? '*' and not node -> 'include' ? r.name
    order by 1
  loop
    relation := service.find_relation(collection, name);
    if relation.name is null then
      perform service.fail(400, 'UNKNOWN_RELATION', format('%s has no relation %s.', collection, name),
        jsonb_build_object('relation', name, 'collection', collection, 'validRelations', service.valid_relations(collection)));
    end if;
    n := n + 1;
    part := service.include_relation(relation, rows_name, rows_name || '_' || n, child, roles);
    ctes := ctes || part.ctes;
    joins := joins || part.joins;
    columns := columns || part.columns;
  end loop;
end $$;

comment on function service.include(text, text, jsonb, text[]) is
  'SQL text for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) and the columns they add. GW400 UNKNOWN_RELATION {relation, collection, validRelations}.';

revoke all on function service.include(text, text, jsonb, text[]) from public;
