-- Included relations, set-based: one query a hop for all rows of the level above, never one a row. Every level is a
-- materialized CTE of its rows and, on the way back up, one of their JSON grouped by the column that leads to them.
create or replace function service.include(collection text, rows_name text, node jsonb, roles text[], out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
declare
  included record;
  n integer := 0;
  part record;
begin
  ctes := '';
  joins := '';
  columns := '';
  for included in select * from service.included_relations(collection, node, roles) loop
    n := n + 1;
    part := service.include_relation(service.find_relation(collection, included.name), rows_name, rows_name || '_' || n, included.options, roles);
    ctes := ctes || part.ctes;
    joins := joins || part.joins;
    columns := columns || part.columns;
  end loop;
end $$;

comment on function service.include(text, text, jsonb, text[]) is
  'SQL text for the included relations of a set of rows (a CTE): further CTEs, the joins to them (alias t for the rows) and the columns they add.';

revoke all on function service.include(text, text, jsonb, text[]) from public;
