create or replace function service.introspected_collections(schema text, unprotected text)
  returns setof service.collections
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with property as materialized (
    select p.collection, p.name, p.position from service.introspected_properties(introspected_collections.schema, introspected_collections.unprotected) p
  )
  select t.slug, 'introspected', service.humanize(t.slug), service.humanize(service.singular(t.slug)),
    nullif(trim(regexp_replace(coalesce(obj_description(t.oid, 'pg_class'), ''), '@key [^\n]+', '')), ''),
    introspected_collections.schema, t.slug,
    (select array_agg(p.name order by k.n) from unnest(t.key) with ordinality k (attnum, n) join property p on p.position = k.attnum where p.collection = t.slug),
    true, t.kind = 'v', true, '{}'::jsonb, null::jsonb
  from service.introspected_tables(introspected_collections.schema, introspected_collections.unprotected) t
  where t.reason is null and not t.junction;
end;

comment on function service.introspected_collections(text, text) is 'The served tables and views of a schema as rows of service.collections; views are read-only.';

revoke all on function service.introspected_collections(text, text) from public;
