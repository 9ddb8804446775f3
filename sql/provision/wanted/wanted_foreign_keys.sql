-- Two relations over one column are one foreign key, and so are the two sides of a junction: the first one says what
-- happens on delete and on update.
create or replace function service_private.wanted_foreign_keys(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (
    schema_name text, table_name text, relation oid, name text, columns text[],
    target_schema text, target_table text, target_columns text[], on_delete text,
    on_update text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with declared as (
    select c.schema_name, c.table_name, r.local_columns as columns, r.target, r.target_columns, r.collection, r.name,
      coalesce(r.on_delete, case when exists (
          select from service.properties p
          where p.collection = r.collection and p.column_name = any (r.local_columns) and p.not_null)
        then 'restrict' else 'set null' end) as on_delete, r.on_update
    from service.relations r
    join service.collections c on c.slug = r.collection and c.source = 'file'
    where r.kind = 'belongsTo'
    union all
    select r.junction_schema, r.junction_table, r.junction_source, r.collection, r.local_columns, r.collection, r.name,
      coalesce(r.on_delete, 'cascade'), r.on_update
    from service.relations r
    where r.kind = 'manyToMany'
    union all
    select r.junction_schema, r.junction_table, r.junction_target, r.target, r.target_columns, r.collection, r.name,
      coalesce(r.on_delete, 'cascade'), r.on_update
    from service.relations r
    where r.kind = 'manyToMany'
  ), first as (
    select distinct on (d.schema_name, d.table_name, d.columns) d.*
    from declared d
    order by d.schema_name, d.table_name, d.columns, d.collection, d.name
  )
  select t.schema_name, t.table_name, t.oid,
    service_private.short_name(t.table_name || '_' || array_to_string(f.columns, '_'), '_fkey'), f.columns,
    c.schema_name, c.table_name, f.target_columns, f.on_delete, f.on_update
  from first f
  join unnest(wanted_tables) t on t.schema_name = f.schema_name and t.table_name = f.table_name
  join service.collections c on c.slug = f.target
  left join pg_namespace n on n.nspname = c.schema_name
  left join pg_class r on r.relnamespace = n.oid and r.relname = c.table_name
  where (r.oid is null and not c.read_only) or r.relkind in ('r', 'p');
end $$;

comment on function service_private.wanted_foreign_keys(service_private.wanted_table[]) is
  'The foreign keys that the belongsTo relations and the junctions of collection files ask for. Nothing refers to a view. on_update is '
  'null where they do not say it.';
