-- A belongsTo leads to a key, so its rows need neither order nor grouping, and its one row is within any limit.
create or replace function service_private.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb,
  roles text[],
  out ctes text[], out rows_join text, out shown text)
  language plpgsql stable as $$
declare
  is_single boolean := relation.kind = 'belongsTo';
  prefix text := service_private.unused_prefix(relation.target);
  -- The columns of this level's rows that lead back to the parent: the target's own, or the junction's under names of ours.
  back text[] := case when relation.junction_table is null then relation.target_columns
    else array(select prefix || 'source' || n from generate_series(1, cardinality(relation.junction_source)) n order by n) end;
  back_columns text := service_private.column_list('t', back);
  row_number text := quote_ident(prefix || 'n');
  json text := quote_ident(prefix || 'json');
  json_rows text := rows_name || '_json';
  -- Asked for even where one row needs none, so that its names are checked.
  sorted text := service_private.order_by(relation.target, 't', node -> 'orderBy', roles);
  nested record := service_private.include(relation.target, rows_name, node, roles);
  rows text := service_private.included_rows(relation, parent_rows, back, node, roles);
  number text;
begin
  if not is_single then
    number := format('row_number() over (partition by %s order by %s)', back_columns, sorted);
    -- A list that was cut unasked would look like one that ends.
    if not node ? 'limit' then
      number := format('service_private.bounded_related(%s, %s, %L, %L)',
        number, service_private.bound(node, 'related'), relation.collection, relation.name);
    end if;
    rows := service_private.fill($sql$
        select *
        from (
          select t.*, <number> as <row_number>
          from (
            <rows>
          ) t
        ) t
        where t.<row_number> <= $<limit?>::bigint
      $sql$,
      'number', number, 'row_number', row_number, 'rows', rows, 'limit', node ->> 'limit');
  end if;
  ctes := array[service_private.fill(E'<name> as materialized (\n  <rows>\n)', 'name', rows_name, 'rows', rows)]
    || nested.ctes
    || service_private.fill($sql$
        <name> as (
          select <back_columns>, <value> as <json>
          from <rows_name> t
          <joins?>
          cross join lateral (
            select
              <columns>
          ) d
          group by <group?>
        )
      $sql$,
      'name', json_rows,
      'back_columns', back_columns,
      -- d.*: a bare d would be a column of that name, where the table has one.
      'value', format(case when is_single then 'to_json(%s)' else 'json_agg(%s order by t.%s)' end,
        service_private.shown_row(relation.target, 'd'), row_number),
      'json', json,
      'rows_name', rows_name,
      'joins', nullif(array_to_string(nested.joins, E'\n'), ''),
      'columns', array_to_string(service_private.shown_columns(relation.target, 't', node, roles) || nested.columns
        || service_private.shown_pivot(relation, prefix), E',\n'),
      'group', case when not is_single then back_columns end);
  rows_join := service_private.fill('left join <json_rows> on <links>',
    'json_rows', json_rows,
    'links', array_to_string(service_private.column_pairs(json_rows, back, service_private.equals(relation, true), 't',
      relation.local_columns), ' and '));
  shown := format(
    case when relation.kind = 'belongsTo' then '%s.%s as %I'
      when relation.kind = 'hasOne' or relation.via ->> 'cardinality' = 'one' then '%s.%s -> 0 as %I'
      else 'coalesce(%s.%s, ''[]'') as %I' end,
    json_rows, json, relation.name);
end $$;

comment on function service_private.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order; without one service_private.bound), those of the '
  'relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column that is shown. To-one is an '
  'object or null, to-many an array; rows of a junction with columns of its own carry these as _pivot.';
