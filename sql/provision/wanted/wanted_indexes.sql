-- A foreign key needs no index of its own where the key, a unique column or another whole index begins with its column.
create or replace function service_private.wanted_indexes(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables(),
  wanted_columns service_private.wanted_column[] default service_private.wanted_columns())
  returns table (schema_name text, table_name text, relation oid, kind text, name text, is_unique boolean, columns text[], body text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with wanted as materialized (
    select * from unnest(wanted_tables)
  ), wanted_column as materialized (
    select c.*, 'using btree (' || quote_ident(c.name) || ')' as btree from unnest(wanted_columns) c where c.type is not null
  ), declared as (
    select t.schema_name, t.table_name, t.oid as relation, d.*
    from wanted t
    join service.collections c on c.slug = t.collection
    cross join jsonb_path_query(c.definition, '$.indexes[*]') i (definition)
    cross join service_private.declared_index(t.collection, i.definition) d
  ), vector as (
    select c.*, d.distance, concat_ws(' ', 'using', c.vector_index ->> 'method',
      format('(%I %I.vector_%s_ops)', c.name, service_private.extension_schema('vector'),
        case d.distance when 'inner_product' then 'ip' else d.distance end),
      'with (' || nullif(concat_ws(', ',
        'm = ' || (c.vector_index ->> 'm')::integer,
        'ef_construction = ' || (c.vector_index ->> 'efConstruction')::integer,
        'lists = ' || (c.vector_index ->> 'lists')::integer), '') || ')') as body
    from wanted_column c
    cross join jsonb_path_query(c.vector_index, '$.distance[*]') e (distance)
    cross join lateral (select e.distance #>> '{}' as distance) d
    -- pgvector indexes no more than 2,000 dimensions.
    where jsonb_typeof(c.vector_index) = 'object' and coalesce(substring(c.type from '\((\d+)\)$')::integer, 0) <= 2000
  )
  select c.schema_name, c.table_name, c.relation, 'unique',
    service_private.short_name(c.table_name || '_' || c.name, '_key'), true, array[c.name], c.btree
  from wanted_column c
  join wanted t on t.schema_name = c.schema_name and t.table_name = c.table_name
  where c.is_unique and t.key <> array[c.name]
    and not exists (
      select from pg_index i
      where i.indrelid = c.relation and i.indkey[0] = c.attnum and i.indnkeyatts = 1
        and i.indisunique and i.indisvalid and i.indpred is null)
  union all
  select d.schema_name, d.table_name, d.relation, 'index', d.name, d.is_unique, d.columns, d.body from declared d
  union all
  select f.schema_name, f.table_name, f.relation, 'index',
    service_private.short_name(f.table_name || '_' || array_to_string(f.columns, '_'), '_fk_idx'), false, f.columns,
    format('using btree (%s)', service_private.name_list(f.columns))
  from service_private.wanted_foreign_keys(wanted_tables) f
  join wanted t on t.schema_name = f.schema_name and t.table_name = f.table_name
  left join wanted_column c on c.schema_name = f.schema_name and c.table_name = f.table_name and c.name = f.columns[1]
  where t.key[1:cardinality(f.columns)] <> f.columns
    and not (cardinality(f.columns) = 1 and coalesce(c.is_unique, false))
    and not exists (
      select from pg_index i
      where i.indrelid = f.relation and i.indkey[0] = c.attnum and i.indisvalid and i.indpred is null
        and cardinality(f.columns) = 1)
  union all
  select n.schema_name, n.table_name, n.relation, 'index', service_private.short_name(n.table_name || '_' || n.column_name, '_tenant_idx'),
    false,
    array[n.column_name], c.btree
  from service_private.wanted_tenants(wanted_tables) n
  join wanted t on t.schema_name = n.schema_name and t.table_name = n.table_name
  join wanted_column c on c.schema_name = n.schema_name and c.table_name = n.table_name and c.name = n.column_name
  where t.key[1] <> n.column_name and not c.is_unique
    and not exists (
      select from service_private.wanted_foreign_keys(wanted_tables) f
      where f.schema_name = n.schema_name and f.table_name = n.table_name and f.columns = array[n.column_name])
    and not exists (
      select from declared d
      where d.schema_name = n.schema_name and d.table_name = n.table_name and d.columns[1] = n.column_name
        and d.body like 'using btree %' and d.body not like '% where %')
    and not exists (
      select from pg_index i
      where i.indrelid = n.relation and i.indkey[0] = c.attnum and i.indisvalid and i.indpred is null)
  union all
  select v.schema_name, v.table_name, v.relation, 'vector index', service_private.short_name(v.table_name || '_' || v.name,
      '_' || v.distance || '_ix_' || service_private.short_hash(concat_ws(' ', v.schema_name, v.table_name, v.body))),
    false, array[v.name], v.body
  from vector v
  union all
  select s.schema_name, s.table_name, s.relation, 'search index', service_private.short_name(s.table_name || '_' || s.name,
      '_ix_' || service_private.short_hash(concat_ws(' ', s.schema_name, s.table_name, s.index_keys))),
    false, array[s.name], 'using gin ' || s.index_keys
  from service_private.wanted_search_columns(wanted_tables) s
  where s.index_keys is not null and (s.attnum is null or s.made_of is not null);
end $$;

comment on function service_private.wanted_indexes(service_private.wanted_table[], service_private.wanted_column[]) is
  'The indexes that collection files ask for, by name: unique properties, the declared ones, those of foreign keys, tenants, vectors and '
  'searches. An index whose work another one does already is left out.';
