create or replace function service_private.store_via() returns void
  language sql volatile
begin atomic
  with way as (
    select s.collection, s.name, s.target, coalesce(min(s.relation ->> 'cardinality'), 'many') as cardinality,
      array_agg(s.schema_name order by s.n) as schemas, array_agg(s.table_name order by s.n) as tables,
      jsonb_agg(jsonb_build_object('schema', s.schema_name, 'table', s.table_name, 'from', s."from", 'to', s."to") order by s.n) as steps
    from service_private.declared_steps() s
    group by s.collection, s.name, s.target
    having bool_and(s.table_name is not null)
  )
  insert into service.relations (collection, name, kind, target, local_columns, target_columns, junction_schema, junction_table,
    junction_source, junction_target, via)
  select w.collection, w.name, 'via', w.target, service_private.texts(w.steps #> '{0,from}'), service_private.texts(w.steps #> '{-1,to}'),
    j.schema_name, j.table_name, j.source, j.target, jsonb_build_object('cardinality', w.cardinality, 'steps', w.steps)
  from way w
  left join lateral (
    select w.schemas[1] as schema_name, w.tables[1] as table_name,
      array(select 'source' || n from generate_series(1, jsonb_array_length(w.steps #> '{0,to}')) n) as source,
      array(select 'target' || n from generate_series(1, jsonb_array_length(w.steps #> '{-1,from}')) n) as target
    where cardinality(w.tables) > 1) j on true
  on conflict do nothing;
end;

comment on function service_private.store_via() is
  'Puts the via relations of definitions into service.relations, those whose tables there are.';
