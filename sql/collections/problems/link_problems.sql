create or replace function service_private.link_problems() returns table (path text, problem text)
  language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  with link as materialized (
    select l.*, r.on_delete, r.on_update, r.target_columns[1] as target_column, p.name as property_name, p.sql_type, p.attributes,
      service_private.key_column(l.target) as target_key
    from service_private.declared_links() l
    join service.relations r on r.collection = l.collection and r.name = l.name
    left join service.properties p on p.collection = l.collection and p.column_name = l.column_name
  ), inverse as materialized (
    select i.*, service_private.key_column(i.collection) as key from service_private.declared_inverses() i
  )
  select l.path, format('its column %s is named %s in the API, and so is the property of column %s', l.column_name,
    service_private.camel_case(l.column_name), (select p.column_name from service.properties p
      where p.collection = l.collection and p.name = service_private.camel_case(l.column_name)))
  from link l
  where l.property_name is null
  union all
  select l.path, format('%s takes its key from here, so neither has a type', l.target)
  from link l
  join service.properties t on t.collection = l.target and t.column_name = l.target_key
  where l.sql_type = '' and t.sql_type = ''
  union all
  select l.path, format('its column %s is %s, what it leads to is %s', l.column_name, l.sql_type, coalesce(t.sql_type, 'text'))
  from link l
  left join service.properties t on t.collection = l.target and t.column_name = l.target_column
  where l.sql_type <> '' and not service_private.are_comparable(l.sql_type, coalesce(t.sql_type, 'text'))
  union all
  select l.property_path || '.access', format('belongs to the property %s, which has the column', l.property_name)
  from link l
  where l.property ?| '{access,excludeFromApi}'
    and exists (select from service_private.declared_columns() c where c.collection = l.collection and c.column_name = l.column_name)
  union all
  select format('%s.%s', l.path, a.key),
    format('set default would evaluate the isId of %s with the rights of the owner of the table', l.property_name)
  from link l
  cross join lateral (values ('onDelete', l.on_delete), ('onUpdate', l.on_update)) a (key, action)
  where a.action = 'set default' and service_private.is_computed(l.attributes)
  union all
  select i.path, format('%s.%s leads to %s', i.target, i.column_name, l.target)
  from inverse i
  join link l on l.collection = i.target and l.column_name = i.column_name
  where l.target <> i.collection
  union all
  select i.path, format('%s.%s leads to %s, not to %s', i.target, i.column_name,
    coalesce(nullif(l.target_column, i.key), 'the key'), coalesce(nullif(i.source_column, i.key), 'the key'))
  from inverse i
  join link l on l.collection = i.target and l.column_name = i.column_name
  where l.target = i.collection and l.target_column <> coalesce(i.source_column, i.key)
  union all
  select i.path || '.sourceKey', case when p.name is null then format('%s has no column %s', i.collection, i.source_column)
    else format('%s is not unique', p.name) end
  from inverse i
  left join service.properties p on p.collection = i.collection and p.column_name = i.source_column
  where i.source_column is not null
    and (p.name is null or not (p.attributes ? 'isId' or (p.attributes #> '{column,unique}')::boolean))
  union all
  select format('%s.%s', i.path, a.key), format('%s says %s', l.path, a.action)
  from inverse i
  join link l on l.collection = i.target and l.column_name = i.column_name
  cross join lateral (values ('onDelete', l.on_delete), ('onUpdate', l.on_update)) a (key, action)
  where i.relation ->> a.key <> a.action;
end $$;

comment on function service_private.link_problems() is 'Problems of declared foreign keys, combined from both of their sides.';
