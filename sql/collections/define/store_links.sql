-- A hasOne or hasMany needs a belongsTo of its target: one that is declared there, or one that is made.
create or replace function service_private.store_links() returns void
  language plpgsql volatile as $$
declare
  inverse record;
begin
  insert into service.relations (collection, name, kind, target, local_columns, target_columns, on_delete, on_update)
  select d.collection, d.name, 'belongsTo', d.target,
    array[service_private.named_column(d.collection,
      coalesce(d.relation ->> 'localKey', d.property ->> 'columnName', service_private.key_column_for(d.name)))],
    '{}', d.relation ->> 'onDelete', d.relation ->> 'onUpdate'
  from service_private.declared_relations() d
  join service.collections t on t.slug = d.target
  where d.kind = 'belongsTo'
  order by d.collection, d."position"
  on conflict do nothing;
  for inverse in select * from service_private.declared_inverses() i order by i.collection, i."position" loop
    update service.relations r set
      on_delete = coalesce(r.on_delete, inverse.relation ->> 'onDelete'),
      on_update = coalesce(r.on_update, inverse.relation ->> 'onUpdate')
    where r.kind = 'belongsTo' and r.collection = inverse.target and r.local_columns = array[inverse.column_name];
    if not found then
      insert into service.relations (collection, name, kind, target, local_columns, target_columns, on_delete, on_update)
      values (inverse.target,
        service_private.unused_relation_name(inverse.target, service_private.camel_case(regexp_replace(inverse.column_name, '_id$', ''))),
        'belongsTo', inverse.collection, array[inverse.column_name],
        case when inverse.source_column <> service_private.key_column(inverse.collection) then array[inverse.source_column] else '{}' end,
        inverse.relation ->> 'onDelete', inverse.relation ->> 'onUpdate');
    end if;
  end loop;
end $$;

comment on function service_private.store_links() is
  'Puts the foreign keys that definitions ask for into service.relations, as belongsTo; target_columns is empty where that is the key.';
