-- Options that a server cannot support are left out: without unaccent the search is accent-sensitive, without pg_trgm
-- nothing is fuzzy.
create or replace function service_private.search_block(collection text) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    with declared as (
      select c.definition -> 'search' as search, service_private.name_parts(c.definition #>> '{search,language}') as language
      from service.collections c
      where c.slug = search_block.collection and jsonb_typeof(c.definition -> 'search') = 'object'
    ), part as (
      select d.search, l.schema_name, l.name,
        (d.search ->> 'unaccent')::boolean and service_private.extension_schema('unaccent') is not null as folds,
        d.search ->> 'mode' = 'hybrid' as hybrid,
        (d.search ->> 'fuzzy')::boolean and service_private.extension_schema('pg_trgm') is not null as fuzzy
      from declared d
      left join lateral (
        select n.nspname::text as schema_name, c.cfgname::text as name
        from pg_ts_config c
        join pg_namespace n on n.oid = c.cfgnamespace
        where c.cfgname = d.language[cardinality(d.language)]
          and case cardinality(d.language) when 1 then n.nspname in ('pg_catalog', 'public') else n.nspname = d.language[1] end
        order by n.nspname = 'pg_catalog' desc
        limit 1) l on true
    )
    select p.search || jsonb_build_object(
      'language', format('%I.%I', coalesce(p.schema_name, 'pg_catalog'), coalesce(p.name, 'simple')),
      'config', case when p.folds
        then format('service_private.%I',
          service_private.short_name(concat_ws('_', nullif(p.schema_name, 'pg_catalog'), p.name), '_unaccent'))
        else format('%I.%I', coalesce(p.schema_name, 'pg_catalog'), coalesce(p.name, 'simple')) end,
      'folds', p.folds or (p.hybrid and service_private.extension_schema('unaccent') is not null),
      'hybrid', p.hybrid,
      'fuzzy', p.fuzzy,
      'trigrams', case when p.hybrid or p.fuzzy then service_private.extension_schema('pg_trgm') end,
      'textColumn', case when p.hybrid or p.fuzzy then service_private.short_name(p.search ->> 'column', '_text') end)
    from part p);
end $$;

comment on function service_private.search_block(text) is
  'A collection''s search block {fields: [{path, weight}], column, mode, unaccent, fuzzy, fuzzyThreshold} with what it comes to on '
  'this server: language and config (text search configurations, quoted; config folds accents when unaccent does), folds (whether '
  'the text for substrings and trigrams folds accents), hybrid, fuzzy, trigrams (the schema of pg_trgm), textColumn. Null without '
  'a search block.';
