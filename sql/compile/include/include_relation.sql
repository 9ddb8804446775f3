create or replace function service.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb, roles text[],
  out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
declare
  target service.collections;
  nested record;
  prefix text := service.unused_prefix(relation.target);
  -- The columns of this level's rows that lead back to the parent: the target's own, or the junction's under names of ours.
  back text[] := case when relation.junction_table is null then relation.target_columns
    else array(select prefix || 'source' || n from generate_series(1, cardinality(relation.junction_source)) n order by n) end;
  row_number text := quote_ident(prefix || 'n');
  json text := quote_ident(prefix || 'json');
  -- Asked for even where one row needs none, so that its names are checked.
  ordering text := service.order_by(relation.target, 't', node -> 'orderBy', roles);
  equals text[] := service.equals(relation, false);
  back_equals text[] := service.equals(relation, true);
  source text;
begin
  select c.* into target from service.collections c where c.slug = relation.target;
  nested := service.include(relation.target, rows_name, node, roles);
  source := case when relation.junction_table is null
    then format('select t.* from %I.%I t where ctx.ok and %s', target.schema_name, target.table_name,
      service.reached_by('t', relation.target_columns, equals, parent_rows, relation.local_columns))
    else format('select t.*, %s from %I.%I j join %I.%I t on %s where ctx.ok and %s',
      (select string_agg(format('j.%I as %I', u.name, u.alias), ', ') from (
        select * from unnest(relation.junction_source, back) s (name, alias) union all select p.column_name, p.alias from service.pivot_columns(relation, prefix) p) u),
      relation.junction_schema, relation.junction_table, target.schema_name, target.table_name,
      service.column_pairs('t', relation.target_columns, equals, 'j', relation.junction_target),
      service.reached_by('j', relation.junction_source, back_equals, parent_rows, relation.local_columns)) end
    || service.live(relation.target, 't') || coalesce(service.predicate(relation.target, 't', node, roles), '');
  -- A belongsTo leads to a key, so its rows need neither order nor grouping, and its one row is within any limit.
  ctes := case when relation.kind = 'belongsTo' then format(', %I as materialized (%s%s)', rows_name, source,
      coalesce(' and $' || (node ->> 'limit') || '::bigint > 0', ''))
    else format(', %I as materialized (select * from (select t.*, row_number() over (partition by %s order by %s) as %s from (%s) t) t%s)',
      rows_name, service.column_list('t', back), ordering, row_number, source,
      coalesce(' where t.' || row_number || ' <= $' || (node ->> 'limit') || '::bigint', '')) end
    || nested.ctes
    -- d.*: a bare d would be a column of that name, where the table has one.
    || format(case when relation.kind = 'belongsTo' then ', %1$I as (select %2$s, to_json(%8$s) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d)'
        else ', %1$I as (select %2$s, json_agg(%8$s order by t.%7$s) as %3$s from %4$I t%5$s cross join lateral (select %6$s) d group by %2$s)' end,
      rows_name || '_json', service.column_list('t', back), json, rows_name, nested.joins,
      service.row_columns(relation.target, 't', node, roles) || nested.columns || service.pivot_column(relation, prefix), row_number, service.shown_row(relation.target, 'd'));
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, back_equals, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I.%s as %I' when 'hasOne' then ', %I.%s -> 0 as %I' else ', coalesce(%I.%s, ''[]'') as %I' end, rows_name || '_json', json, relation.name);
end $$;

comment on function service.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array; rows of a junction with columns of its own carry these as _pivot.';

revoke all on function service.include_relation(service.relations, text, text, jsonb, text[]) from public;
