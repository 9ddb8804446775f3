-- No nested loops, as in service_private.introspected_relations.
create or replace function service_private.introspected_collections(tables service.introspected_table[],
  properties service.properties[])
  returns setof service.collections
  language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off
begin atomic
  with key as (
    select t.slug, array_agg(p.name order by k.n) as names
    from unnest(tables) t
    cross join unnest(t.key) with ordinality k (attnum, n)
    join unnest(properties) p on p.collection = t.slug and p.position = k.attnum
    group by t.slug
  )
  select t.slug, 'introspected', service_private.humanize(t.slug), service_private.humanize(service_private.singular(t.slug)),
    nullif(trim(regexp_replace(t.description, '@key [^\n]+', '')), ''), t.schema_name, t.slug, k.names, true, t.kind not in ('r', 'p'),
    true, '{}'::jsonb, null::jsonb
  from unnest(tables) t
  join key k on k.slug = t.slug
  where not t.junction;
end;

comment on function service_private.introspected_collections(service.introspected_table[], service.properties[]) is
  'The served tables and views as rows of service.collections; what is no table is read-only.';
