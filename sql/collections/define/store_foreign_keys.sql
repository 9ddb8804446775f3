-- Each takes its type from what it leads to, which may take its own from elsewhere.
create or replace function service_private.store_foreign_keys() returns void
  language plpgsql volatile as $$
begin
  insert into service.properties (collection, name, column_name, "position", type, sql_type, not_null, required, excluded, read_roles,
    write_roles, attributes)
  select l.collection, service_private.camel_case(l.column_name), l.column_name, l."position", 'string', '', l.is_key, false, a.excluded,
    case when a.excluded then '{}' else service_private.texts(l.property #> '{access,read}') end,
    case when a.excluded then '{}' else service_private.texts(l.property #> '{access,write}') end,
    jsonb_strip_nulls(jsonb_build_object('label', l.property -> 'name', 'description', l.property -> 'description',
      'validation', nullif(l.validation, '{}'), 'requiredMessage', l.validation -> 'requiredMessage',
      'isId', case when l.is_key then true end))
    || '{"column": {"type": "text", "default": null, "identity": false, "unique": false, "stamp": null, "enumType": null, "index": null}}'
  from service_private.declared_links() l
  cross join lateral (select coalesce((l.property -> 'excludeFromApi')::boolean, false) as excluded) a
  where not exists (select from service.properties p where p.collection = l.collection and p.column_name = l.column_name)
  order by l.collection, l."position"
  on conflict do nothing;
  -- A property that declares the column keeps it; the relation adds the constraint.
  update service.properties p set
    not_null = p.not_null or l.required,
    required = case when l.required
      then p.attributes #> '{column,default}' = 'null' and not p.attributes ? 'isId' and p.write_roles is distinct from '{}'
      else p.required end,
    attributes = case when l.is_unique then jsonb_set(p.attributes, '{column,unique}', 'true') else p.attributes end
  from (
    select l.collection, l.column_name, coalesce(bool_or(l.validation -> 'required' = 'true'), false) as required,
      coalesce(bool_or(l.validation -> 'unique' = 'true'), false) as is_unique
    from service_private.declared_links() l
    group by l.collection, l.column_name) l
  where p.collection = l.collection and p.column_name = l.column_name and (l.required or l.is_unique);
  loop
    update service.properties p set type = t.type, sql_type = t.sql_type,
      attributes = jsonb_set(p.attributes, '{column,type}', t.whole)
    from service.relations r
    cross join lateral service_private.target_type(r) t
    where r.kind = 'belongsTo' and r.collection = p.collection and r.local_columns = array[p.column_name]
      and p.sql_type = '' and t.sql_type <> '';
    exit when not found;
  end loop;
end $$;

comment on function service_private.store_foreign_keys() is
  'Puts the columns of belongsTo relations into service.properties, under the column''s wire name and of the type of what they lead to. '
  'sql_type stays empty where keys lead to each other.';
