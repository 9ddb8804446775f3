create or replace function service_private.declared_links()
  returns table (
    collection text, name text, "position" integer, path text, property_path text, target text, column_name text, property jsonb,
    validation jsonb, is_key boolean)
  language sql stable
begin atomic
  with inverse as (
    select distinct on (i.target, i.column_name) i.*
    from service_private.declared_inverses() i
    order by i.target, i.column_name, i.collection, i."position"
  )
  select r.collection, r.name, coalesce(d."position", 20000 + row_number() over (order by i.collection, i."position")::integer),
    coalesce(d.path, format('%s (as %s.%s)', i.path, r.collection, r.local_columns[1])), coalesce(d.property_path, i.path), r.target,
    r.local_columns[1], coalesce(d.property, '{"type": "relation"}'),
    coalesce(d.validation, case i.kind when 'hasOne' then '{"unique": true}' else '{}' end::jsonb), coalesce(d.is_key, false)
  from service.relations r
  join service.collections c on c.slug = r.collection and c.source = 'file'
  left join service_private.declared_relations() d on d.collection = r.collection and d.name = r.name and d.kind = 'belongsTo'
  left join inverse i on d.name is null and i.target = r.collection and i.column_name = r.local_columns[1]
  where r.kind = 'belongsTo';
end;

comment on function service_private.declared_links() is
  'The belongsTo relations of the catalog with what declares them: themselves, or the hasOne or hasMany that needs them.';
