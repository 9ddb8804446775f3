-- With its schema, or else the first of that name on the caller's search path.
create or replace function service.table_metadata(name text) returns json
  language sql stable set search_path = pg_catalog, public, pg_temp
begin atomic
  with named as materialized (
    select c.oid, n.nspname as schema_name, c.relname as table_name
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
      and table_metadata.name in (c.relname, n.nspname || '.' || c.relname)
    order by table_metadata.name = c.relname desc, pg_table_is_visible(c.oid) desc, n.nspname
    limit 1
  ), own_columns as (
    select json_agg(json_build_object(
      'column_name', c.column_name, 'data_type', c.data_type, 'udt_name', c.udt_name, 'is_nullable', c.is_nullable,
      'column_default', c.column_default, 'character_maximum_length', c.character_maximum_length, 'enum_values', e.labels)
      order by c.ordinal_position) as items
    from named t
    join information_schema.columns c on c.table_schema = t.schema_name and c.table_name = t.table_name
    left join lateral (
      select json_agg(l.enumlabel order by l.enumsortorder) as labels
      from pg_enum l
      join pg_type y on y.oid = l.enumtypid and y.typname = c.udt_name
      join pg_namespace m on m.oid = y.typnamespace and m.nspname = c.udt_schema
    ) e on true
  ), reference as materialized (
    select k.conname, k.conrelid, k.confrelid, k.conkey, a.attname as column_name, f.attname as foreign_column_name
    from pg_constraint k
    cross join lateral unnest(k.conkey, k.confkey) with ordinality as p (own, theirs, place)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = p.own
    join pg_attribute f on f.attrelid = k.confrelid and f.attnum = p.theirs
    where k.contype = 'f'
  ), foreign_keys as (
    select json_agg(json_build_object(
      'column_name', r.column_name, 'foreign_table_name', r.confrelid::regclass::text, 'foreign_column_name', r.foreign_column_name)
      order by r.conname, r.column_name) as items
    from named t
    join reference r on r.conrelid = t.oid
  ), junctions as (
    select json_agg(json_build_object(
      'junction_table_name', o.conrelid::regclass::text, 'source_column_name', o.column_name,
      'target_table_name', r.confrelid::regclass::text, 'target_column_name', r.column_name)
      order by o.conrelid::regclass::text, o.column_name) as items
    from named t
    join reference o on o.confrelid = t.oid and cardinality(o.conkey) = 1
    join reference r on r.conrelid = o.conrelid and r.conkey <> o.conkey and cardinality(r.conkey) = 1
    join pg_constraint k on k.conrelid = o.conrelid and k.contype = 'p' and cardinality(k.conkey) = 2
      and k.conkey @> o.conkey and k.conkey @> r.conkey
  ), policies as (
    select json_agg(json_build_object(
      'policy_name', p.policyname, 'roles', p.roles, 'cmd', p.cmd, 'qual', p.qual, 'with_check', p.with_check)
      order by p.policyname) as items
    from named t
    join pg_policies p on p.schemaname = t.schema_name and p.tablename = t.table_name
  )
  select json_build_object(
    'columns', coalesce(c.items, '[]'), 'foreignKeys', coalesce(f.items, '[]'), 'junctions', coalesce(j.items, '[]'),
    'policies', coalesce(p.items, '[]'))
  from named t
  cross join own_columns c
  cross join foreign_keys f
  cross join junctions j
  cross join policies p;
end;

comment on function service.table_metadata(text) is
  '{columns, foreignKeys, junctions, policies} of a table or view, named with or without its schema; null where there is none. A junction '
  'is a table whose primary key is two references, one of them to this table.';

-- Example: select service.table_metadata('products');
