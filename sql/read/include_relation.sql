create or replace function service.include_relation(relation service.relations, parent_rows text, rows_name text, node jsonb, roles text[],
  out ctes text, out joins text, out columns text)
  language plpgsql stable as $$
declare
  target service.collections;
  nested record;
  -- The columns of this level's rows that lead back to the parent: the target's own, or the junction's under names of ours.
  back text[] := case when relation.junction_table is null then relation.target_columns
    else array(select '~' || c from unnest(relation.junction_source) c) end;
  source text;
begin
  select c.* into target from service.collections c where c.slug = relation.target;
  nested := service.include(relation.target, rows_name, node, roles);
  source := case when relation.junction_table is null
    then format('select t.* from %I.%I t where ctx.ok and %s', target.schema_name, target.table_name,
      service.reached_by('t', relation.target_columns, parent_rows, relation.local_columns))
    else format('select t.*, %s from %I.%I j join %I.%I t on %s where ctx.ok and %s',
      (select string_agg(format('j.%I as %I', c, '~' || c), ', ') from unnest(relation.junction_source) c),
      relation.junction_schema, relation.junction_table, target.schema_name, target.table_name,
      service.column_pairs('t', relation.target_columns, 'j', relation.junction_target),
      service.reached_by('j', relation.junction_source, parent_rows, relation.local_columns)) end
    || coalesce(service.predicate(relation.target, 't', node, roles), '');
  -- A belongsTo leads to a key, so its rows need neither order nor grouping.
  ctes := case when relation.kind = 'belongsTo' then format(', %I as materialized (%s)', rows_name, source)
    else format(', %I as materialized (select * from (select t.*, row_number() over (partition by %s order by %s) as "~n" from (%s) t) t%s)',
      rows_name, service.column_list('t', back), service.order_by(relation.target, 't', node -> 'orderBy', roles), source,
      coalesce(' where t."~n" <= $' || (node ->> 'limit') || '::bigint', '')) end
    || nested.ctes
    || format(case when relation.kind = 'belongsTo' then ', %I as (select %s, row_to_json(d) as "~json" from %I t%s cross join lateral (select %s) d)'
        else ', %I as (select %s, json_agg(d order by t."~n") as "~json" from %I t%s cross join lateral (select %s) d group by %2$s)' end,
      rows_name || '_json', service.column_list('t', back), rows_name, nested.joins,
      service.row_columns(relation.target, 't', node, roles) || nested.columns);
  joins := format(' left join %I on %s', rows_name || '_json', service.column_pairs(quote_ident(rows_name || '_json'), back, 't', relation.local_columns));
  columns := format(case relation.kind when 'belongsTo' then ', %I."~json" as %I' when 'hasOne' then ', %I."~json" -> 0 as %I' else ', coalesce(%I."~json", ''[]'') as %I' end, rows_name || '_json', relation.name);
end $$;

comment on function service.include_relation(service.relations, text, text, jsonb, text[]) is
  'SQL text for one included relation: the CTE of its rows (limit a parent, in order), those of the relations below it, the CTE of their JSON, the join from the parent''s rows (alias t) and the column. To-one is an object or null, to-many an array.';

revoke all on function service.include_relation(service.relations, text, text, jsonb, text[]) from public;
