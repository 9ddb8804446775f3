create or replace function service_private.wanted_search_columns(
  wanted_tables service_private.wanted_table[] default service_private.wanted_tables())
  returns table (collection text, schema_name text, table_name text, relation oid,
    name text, type text, expression text, meaning text, index_keys text, attnum smallint, made_of text, ready boolean)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with block as materialized (
    select t.collection, t.schema_name, t.table_name, t.oid as relation, service_private.search_block(t.collection) as block
    from unnest(wanted_tables) t
    join service.collections c on c.slug = t.collection and jsonb_typeof(c.definition -> 'search') = 'object'
  ), wanted as (
    select b.*, c.*, service_private.short_hash(c.type || ' ' || c.expression) as meaning
    from block b
    cross join lateral (
      select b.block ->> 'column' as name, 'tsvector' as type, service_private.search_vector(b.collection, b.block, '') as expression,
        format('(%I)', b.block ->> 'column') as index_keys
      union all
      select b.block ->> 'textColumn', 'text', service_private.search_text(b.collection, b.block, ''),
        '(' || quote_ident(b.block ->> 'textColumn') || ' ' || quote_ident(b.block ->> 'trigrams') || '.gin_trgm_ops)'
    ) c
    where b.block is not null and c.name is not null
  )
  select w.collection, w.schema_name, w.table_name, w.relation, w.name, w.type, w.expression, w.meaning, w.index_keys,
    a.attnum, s.made_of, a.attnum is not null and a.attgenerated = 's' and s.made_of is not distinct from w.meaning
  from wanted w
  left join pg_attribute a on a.attrelid = w.relation and a.attname = w.name and a.attnum > 0 and not a.attisdropped
  left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = w.relation and d.objsubid = a.attnum
  left join lateral (select service_private.search_meaning(d.description) as made_of) s on true;
end $$;

comment on function service_private.wanted_search_columns(service_private.wanted_table[]) is
  'The generated columns that search blocks ask for. PostgreSQL stores an expression in another form than it was given, so the '
  'column''s comment keeps a hash of it: made_of is that of the column that is there (null: no block made it), ready when it is '
  'the wanted one. index_keys: what its GIN index is on, null without pg_trgm.';
