create or replace function service_private.search_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with block as materialized (
    select c.slug, c.definition -> 'search' as search
    from service.collections c
    where c.source = 'file' and c.definition ? 'search'
  ), field as (
    select b.slug, f.n, f.field ->> 'path' as path, string_to_array(f.field ->> 'path', '.') as parts,
      row_number() over (partition by b.slug, f.field ->> 'path' order by f.n) as rank
    from block b
    cross join jsonb_array_elements(b.search -> 'fields') with ordinality f (field, n)
  ), stored as (
    select b.slug, s.name
    from block b
    cross join lateral (
      select b.search ->> 'column'
      union all
      select concat(b.search ->> 'column', '_text') where b.search ->> 'mode' = 'hybrid' or (b.search -> 'fuzzy')::boolean) s (name)
  ), configuration as materialized (
    select n.nspname as schema_name, c.cfgname as name
    from pg_catalog.pg_ts_config c
    join pg_catalog.pg_namespace n on n.oid = c.cfgnamespace
  )
  select format('%s.search.fields[%s]', f.slug, f.n - 1), case when f.rank > 1 then f.path || ' stands twice' else u.problem end
  from field f
  cross join lateral (select service_private.unsearchable_reason(f.slug, f.parts) as problem offset 0) u
  where f.rank > 1 or u.problem is not null
  union all
  select s.slug || '.search.column', f.problem
  from stored s
  cross join lateral (
    select format('%s is the column of %s', s.name, p.name) from service.properties p where p.collection = s.slug and p.column_name = s.name
    union all
    select s.name || ' is a system column of every table' where service_private.is_system_column(s.name)
    union all
    select service_private.length_problem(s.name, 'the column')) f (problem)
  where f.problem is not null
  union all
  select b.slug || '.search.language', format('the database has no text search configuration %s; it has %s', b.search ->> 'language', (
    select string_agg(c.name, ', ' order by c.name) from configuration c where c.schema_name = 'pg_catalog'))
  from block b
  where not exists (select from configuration c where b.search ->> 'language' = format('%s.%s', c.schema_name, c.name)
    or (b.search ->> 'language' = c.name and c.schema_name in ('pg_catalog', 'public')));
end $$;

comment on function service_private.search_problems() is 'Problems of the search blocks of definitions.';
