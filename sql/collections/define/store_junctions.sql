-- Several relations may have one junction. The first that says what becomes of a link decides for all.
create or replace function service_private.store_junctions() returns void
  language sql volatile
begin atomic
  with junction as materialized (
    select j.* from service_private.declared_junctions() j
  ), action as (
    select j.junction_table,
      (array_agg(j.relation ->> 'onDelete' order by j.collection, j."position") filter (where j.relation ? 'onDelete'))[1] as on_delete,
      (array_agg(j.relation ->> 'onUpdate' order by j.collection, j."position") filter (where j.relation ? 'onUpdate'))[1] as on_update
    from junction j
    group by j.junction_table
  )
  insert into service.relations (collection, name, kind, target, local_columns, target_columns, junction_schema, junction_table,
    junction_source, junction_target, pivot, on_delete, on_update)
  select j.collection, j.name, 'manyToMany', j.target, array[coalesce(service_private.key_column(j.collection), 'id')],
    array[coalesce(service_private.key_column(j.target), 'id')], j.junction_schema, j.junction_table, array[j.source_column],
    array[j.target_column], service_private.declared_pivot(j.relation -> 'through', j.junction_schema, j.junction_table),
    coalesce(a.on_delete, 'cascade'), a.on_update
  from junction j
  join action a on a.junction_table = j.junction_table
  on conflict do nothing;
end;

comment on function service_private.store_junctions() is 'Puts the manyToMany relations of definitions into service.relations.';
