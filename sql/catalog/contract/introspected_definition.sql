-- A column that leads to another table stands as the relation that it is, as in a file; unless it is part of the key as well.
create or replace function service_private.introspected_definition(described service.collections) returns jsonb
  language sql stable
begin atomic
  with relation as (
    select r.*, p.name as field, p."position", p.required, p.attributes -> 'description' as description,
      coalesce(p.name = any ((described).key), false) as is_key
    from service.relations r
    left join service.properties p
      on r.kind = 'belongsTo' and p.collection = r.collection and array[p.column_name] = r.local_columns
    where r.collection = (described).slug
  ), declared (name, "position", definition) as (
    select p.name, p."position", jsonb_build_object(
      'type', p.type,
      'columnName', p.column_name,
      'columnType', case p.sql_type when 'character varying' then 'varchar' when 'bpchar' then 'char' else p.sql_type end,
      'of', case when p.type = 'array' then jsonb_build_object('type',
        service_private.property_type(to_regtype(regexp_replace(p.sql_type, '\[\]$', '')))) end,
      'mode', case when p.sql_type = 'date' then 'date' end,
      'description', p.attributes -> 'description',
      'isId', p.attributes -> 'isId',
      'enum', p.attributes -> 'enum',
      'dimensions', p.attributes -> 'dimensions',
      'validation', nullif(jsonb_strip_nulls(jsonb_build_object(
        'required', case when p.required then true end, 'max', p.attributes -> 'maxLength')), '{}'),
      'access', case when p.generated and not p.excluded then '{"write": []}'::jsonb end,
      'excludeFromApi', case when p.excluded then true end)
    from service.properties p
    where p.collection = (described).slug
      and not exists (select from relation r where r.field = p.name and not r.is_key)
    union all
    select r.name, coalesce(r."position", 10000), jsonb_build_object(
      'type', 'relation',
      'description', r.description,
      'validation', case when r.required and not r.is_key then '{"required": true}'::jsonb end,
      'relation', jsonb_build_object('kind', r.kind, 'target', r.target) || case
        when r.kind = 'belongsTo' then jsonb_build_object('localKey', service_private.one_or_all(r.local_columns))
        when r.kind = 'manyToMany' then jsonb_build_object('through', jsonb_build_object('table', r.junction_table,
          'sourceColumn', service_private.one_or_all(r.junction_source), 'targetColumn', service_private.one_or_all(r.junction_target)))
        else jsonb_build_object('foreignKeyOnTarget', service_private.one_or_all(r.target_columns),
          'sourceKey', service_private.one_or_all(r.local_columns)) end)
    from relation r
  )
  select jsonb_strip_nulls(jsonb_build_object(
    'slug', (described).slug,
    'description', (described).description,
    'readOnly', case when (described).read_only then true end,
    'properties', jsonb_object_agg(d.name, d.definition),
    'propertiesOrder', jsonb_agg(d.name order by d."position", d.name)))
  from declared d;
end;

comment on function service_private.introspected_definition(service.collections) is
  'The collection file that would describe a table which has none, as far as the words of files reach: a column type that they do not '
  'know stands as PostgreSQL spells it, the columns of a composite foreign key as a list.';
