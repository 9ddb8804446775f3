create or replace function service_private.catalog_document() returns json
  language sql stable set jit = off
begin atomic
  with unvalidated as materialized (
    select c.slug, u.columns
    from service_private.unvalidated_keys() u
    join service.collections c on c.schema_name = u.schema_name and c.table_name = u.table_name
  ), property as (
    select p.collection, json_agg(json_build_object(
      'name', p.name, 'type', p.type, 'sqlType', coalesce(p.attributes ->> 'elementType' || '[]', p.sql_type),
      'nullable', not p.not_null, 'required', p.required, 'generated', p.generated,
      'readRoles', p.read_roles, 'writeRoles', p.write_roles, 'attributes', p.attributes)
      order by p.position) as list
    from service.properties p
    where not p.excluded
    group by p.collection
  ), relation as (
    select r.collection, json_agg(json_build_object(
      'name', r.name, 'kind', r.kind, 'target', r.target,
      'single', r.kind in ('belongsTo', 'hasOne') or coalesce(r.via ->> 'cardinality' = 'one', false),
      'pivot', (
        select json_agg(e.name order by e.n)
        from jsonb_path_query(r.pivot, '$[*].name') with ordinality e (name, n)),
      'required', r.kind = 'belongsTo' and not exists (
        select from service.properties p
        where p.collection = r.collection and p.column_name = any (r.local_columns) and not p.not_null)
        and not exists (
          select from unvalidated u
          where u.slug = r.collection and u.columns @> r.local_columns and u.columns <@ r.local_columns),
      'pivotProperties', r.pivot,
      'foreignKey', case when r.kind in ('hasOne', 'hasMany') then (
        select json_agg(p.name order by array_position(r.target_columns, p.column_name))
        from service.properties p
        where p.collection = r.target and p.column_name = any (r.target_columns)) end,
      'through', (
        select json_agg(distinct b.slug collate "C")
        from jsonb_to_recordset(r.via -> 'steps') s (schema text, "table" text)
        join service.collections b on b.schema_name = s.schema and b.table_name = s.table and b.exposed
        where b.slug <> r.target))
      order by r.name) as list
    from service.relations r
    join service.collections t on t.slug = r.target and t.exposed
    where not exists (
        select from service.properties p
        where p.collection = r.collection and p.column_name = any (r.local_columns) and p.excluded)
      and not exists (
        select from service.properties p
        where p.collection = r.target and p.column_name = any (r.target_columns) and p.excluded)
      and not (r.kind = 'via' and exists (select from service_private.link_properties(r) p where p.excluded))
    group by r.collection
  ), collection as (
    select json_agg(json_build_object(
      'slug', c.slug, 'name', c.name, 'singularName', c.singular_name, 'description', c.description,
      'key', c.key, 'readOnly', c.read_only,
      'history', coalesce(c.definition -> 'history' = 'true', false),
      'softDelete', case c.definition -> 'softDelete' when 'true' then 'deletedAt' else c.definition #>> '{softDelete,field}' end,
      'accounts', service_private.holds_accounts(c.definition),
      'bodyNames', n.most, 'readers', service_private.reading_roles(c.source, c.definition),
      'schema', c.schema_name, 'table', c.table_name,
      'search', case when jsonb_typeof(c.definition -> 'search') = 'object' then json_build_object(
        'fields', jsonb_path_query_array(c.definition, '$.search.fields[*].path'),
        'hybrid', c.definition #>> '{search,mode}' = 'hybrid',
        'fuzzy', c.definition #> '{search,fuzzy}') end,
      'properties', coalesce(p.list, '[]'),
      'relations', coalesce(r.list, '[]'))
      order by c.slug) as list
    from service.collections c
    left join property p on p.collection = c.slug
    left join relation r on r.collection = c.slug
    cross join lateral (
      select case when c.strict_writes then (select 2 * count(*) from service.properties o where o.collection = c.slug)
        -- The columns that PostgreSQL lets a table have.
        else 2 * 1600 end + (select count(*) from service.relations o where o.collection = c.slug) as most) n
    where c.exposed
  )
  select json_build_object(
    'version', c.version,
    'schemaVersion', c.schema_version,
    'restrictingRoles', coalesce((
      select json_agg(distinct r.role)
      from (
        select r.role from service.properties p cross join unnest(p.read_roles || p.write_roles) r (role)
        union all
        select r.role from service.properties p cross join jsonb_array_elements_text(p.attributes #> '{restricted,roles}') r (role)
        union all
        -- service_private.tenant_conditions
        select r.role from service.collections c
        cross join jsonb_array_elements_text(c.definition #> '{tenant,bypassRoles}' || '["admin"]') r (role)
        where c.definition ? 'tenant'
      ) r), '[]'),
    'arrowNames', coalesce((
      select json_agg(a.name order by length(a.name) desc, a.name)
      from (select distinct p.column_name from service.properties p where p.column_name like '%->%' and not p.excluded) a (name)), '[]'),
    'partNames', coalesce((
      select json_agg(distinct n.name)
      from service.properties p
      cross join jsonb_array_elements_text(p.attributes #> '{restricted,names}') n (name)), '[]'),
    'collections', coalesce((select l.list from collection l), '[]'))
  from service.catalog c;
end;

comment on function service_private.catalog_document() is
  'The served collections as one JSON document: {version, schemaVersion, restrictingRoles, arrowNames, partNames, collections: [{slug, '
  'name, singularName, description, key, readOnly, history, softDelete (the property with the stamp), accounts (its rows are), '
  'bodyNames (how many names a body can hold), readers (service_private.reading_roles), schema, table, search, properties, '
  'relations: [{…, required (the row is there: no column of it may be null, and its foreign key is not NOT VALID), pivotProperties '
  '(service.relations.pivot), foreignKey (of a hasOne or '
  'hasMany: the properties of the target that lead back), through (the collections that a via passes through, or null)}]}]}.';
