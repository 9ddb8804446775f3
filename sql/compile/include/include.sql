-- Included relations, set-based: one query a hop for all rows of the level above, never one a row. Every level is a
-- materialized CTE of its rows and, on the way back up, one of their JSON grouped by the column that leads to them.
create or replace function service_private.include(collection text, rows_name text, node jsonb, roles text[],
  out ctes text[], out joins text[], out columns text[])
  language plpgsql stable as $$
declare
  included record;
  n integer := 0;
  part record;
  relation service.relations;
  unselected text[];
begin
  ctes := '{}';
  joins := '{}';
  columns := '{}';
  for included in select * from service_private.included_relations(collection, node, roles) loop
    n := n + 1;
    relation := service_private.find_relation(collection, included.name);
    -- Rows that were collapsed lead only to where their columns lead.
    if node ? 'distinct' and node ? 'fields' then
      unselected := array(
        select p.name from service.properties p
        where p.collection = include.collection and p.column_name = any (relation.local_columns)
          and not node -> 'fields' ?| array[p.name, p.column_name]
        order by p.position);
      if unselected <> '{}' then
        perform service.fail(400, 'DISTINCT_NOT_APPLICABLE',
          format('A distinct read can include %s only with %s among its fields.', relation.name, array_to_string(unselected, ', ')),
          jsonb_build_object('relation', relation.name, 'collection', collection, 'fields', unselected));
      end if;
    end if;
    part := service_private.include_relation(relation, rows_name, rows_name || '_' || n,
      included.options || jsonb_build_object('bounds', node -> 'bounds'), roles);
    ctes := ctes || part.ctes;
    joins := joins || part.rows_join;
    columns := columns || part.shown;
  end loop;
end $$;

comment on function service_private.include(text, text, jsonb, text[]) is
  'SQL text, as lists, for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) '
  'and the columns they add. GW400 DISTINCT_NOT_APPLICABLE {relation, collection, fields} when a distinct read leaves out the '
  'columns that lead there, and as service_private.included_relations.';
