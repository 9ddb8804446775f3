-- The name holds a hash of all that the index is, so a changed one is another one.
create or replace function service_private.declared_index(collection text, definition jsonb)
  returns table (name text, is_unique boolean, columns text[], body text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with key as (
    select service_private.field_column(declared_index.collection, coalesce(k.key ->> 'prop', k.key #>> '{}')) as name, k.n,
      coalesce(' ' || case k.key ->> 'direction' when 'asc' then 'asc' when 'desc' then 'desc' end, '')
        || coalesce(' nulls ' || case k.key ->> 'nulls' when 'first' then 'first' when 'last' then 'last' end, '') as direction
    from jsonb_array_elements(declared_index.definition -> 'on') with ordinality k (key, n)
  ), part as (
    select array_agg(k.name order by k.n) as columns, bool_or(k.name is null) as unknown,
      string_agg(quote_ident(k.name) || k.direction, ', ' order by k.n) as keys,
      coalesce((declared_index.definition ->> 'unique')::boolean, false) as is_unique,
      case declared_index.definition ->> 'using' when 'gin' then 'gin' when 'brin' then 'brin' else 'btree' end as method,
      (select string_agg(quote_ident(service_private.field_column(declared_index.collection, i.name)), ', ' order by i.n)
        from jsonb_array_elements_text(declared_index.definition -> 'include') with ordinality i (name, n)) as included,
      (select string_agg(service_private.index_comparison(declared_index.collection, c.comparison), ' and ' order by c.n)
        from jsonb_array_elements(coalesce(
          declared_index.definition #> '{where,and}',
          jsonb_build_array(declared_index.definition -> 'where'))) with ordinality c (comparison, n)
        where jsonb_typeof(c.comparison) = 'object') as condition
    from key k
  ), whole as (
    select p.*, concat_ws(' ', 'using', p.method, '(' || p.keys || ')',
      'include (' || p.included || ')', 'where ' || p.condition) as body
    from part p
    where not p.unknown
  )
  select service_private.short_name(c.table_name || '_' || array_to_string(w.columns, '_'),
      case when w.is_unique then '_ux_' else '_ix_' end || service_private.short_hash(concat_ws(' ', c.schema_name, c.table_name, w.body))),
    w.is_unique, w.columns, w.body
  from whole w
  join service.collections c on c.slug = declared_index.collection;
end $$;

comment on function service_private.declared_index(text, jsonb) is
  'One of a collection file''s indexes {on, using, where, unique, include} as what stands behind "on <table>", with its name. No '
  'row when it names an unknown property.';
