create or replace function service_private.definition_changes(collections_before service.collections[])
  returns table (kind text, verdict text, collection text, property text, detail text, remedy text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select 'change-collection', 'safe', c.slug, null::text,
      format('Its %s would change.', string_agg(k.key, ', ' order by k.key)), null::text
    from service.collections c
    join unnest(collections_before) b on b.slug = c.slug and b.source = 'file'
    cross join lateral jsonb_object_keys(c.definition || b.definition) k (key)
    where c.source = 'file' and c.definition -> k.key is distinct from b.definition -> k.key
      and k.key not in ('properties', 'propertiesOrder', 'relations', 'name', 'singularName', 'description', 'metadata', 'ownerId',
        'databaseId', 'securityRulesFrom')
    group by c.slug;
end $$;

comment on function service_private.definition_changes(service.collections[]) is
  'The collections whose rules, callbacks, indexes or other settings are not what they were in these rows, as rows of '
  'service_private.catalog_changes.';
