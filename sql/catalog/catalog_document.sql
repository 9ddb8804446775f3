create or replace function service.catalog_document() returns json
  language sql stable set jit = off
begin atomic
  select json_build_object(
    'version', (select c.version from service.catalog c),
    'schemaVersion', (select c.schema_version from service.catalog c),
    'restrictingRoles', coalesce((select json_agg(distinct r) from service.properties p, unnest(p.read_roles || p.write_roles) r), '[]'::json),
    'collections', coalesce((
      select json_agg(json_build_object(
        'slug', c.slug, 'name', c.name, 'singularName', c.singular_name, 'description', c.description, 'key', c.key, 'readOnly', c.read_only,
        'readers', service.reading_roles(c.source, c.definition),
        'schema', c.schema_name, 'table', c.table_name,
        'search', case when jsonb_typeof(c.definition -> 'search') = 'object' then json_build_object(
          'fields', jsonb_path_query_array(c.definition, '$.search.fields[*].path'), 'hybrid', c.definition #>> '{search,mode}' = 'hybrid', 'fuzzy', c.definition #> '{search,fuzzy}') end,
        'properties', (
          select coalesce(json_agg(json_build_object('name', p.name, 'type', p.type, 'sqlType', p.sql_type, 'nullable', not p.not_null, 'required', p.required,
            'generated', p.generated, 'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes) order by p.position), '[]'::json)
          from service.properties p where p.collection = c.slug and not p.excluded),
        'relations', (
          select coalesce(json_agg(json_build_object('name', r.name, 'kind', r.kind, 'target', r.target,
            'pivot', (select json_agg(p ->> 'name' order by n) from jsonb_array_elements(case jsonb_typeof(r.pivot) when 'array' then r.pivot end) with ordinality a (p, n))) order by r.name), '[]'::json)
          from service.relations r join service.collections t on t.slug = r.target and t.exposed where r.collection = c.slug
            and not exists (select from service.properties p where p.collection = r.collection and p.column_name = any (r.local_columns) and p.excluded)
            and not exists (select from service.properties p where p.collection = r.target and p.column_name = any (r.target_columns) and p.excluded))) order by c.slug)
      from service.collections c where c.exposed), '[]'::json));
end;

comment on function service.catalog_document() is
  'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, collections: [{slug, name, singularName, description, key, readOnly, readers (service.reading_roles), schema, table, search, properties, relations}]}.';

revoke all on function service.catalog_document() from public;
