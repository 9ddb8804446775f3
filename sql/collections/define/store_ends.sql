create or replace function service_private.store_ends() returns void
  language sql volatile
begin atomic
  update service.relations r set
    target_columns = case when r.target_columns = '{}' then array[coalesce(service_private.key_column(r.target), 'id')]
      else r.target_columns end,
    on_delete = coalesce(r.on_delete, case when p.not_null then 'restrict' else 'set null' end)
  from service.properties p
  where r.kind = 'belongsTo' and p.collection = r.collection and r.local_columns = array[p.column_name];

  insert into service.relations (collection, name, kind, target, local_columns, target_columns)
  select i.collection, i.name, i.kind, i.target, r.target_columns, r.local_columns
  from service_private.declared_inverses() i
  join service.relations r on r.kind = 'belongsTo' and r.collection = i.target and r.local_columns = array[i.column_name]
  on conflict do nothing;
end;

comment on function service_private.store_ends() is
  'Says of each belongsTo relation which column it leads to and what becomes of its row when that goes, and adds the hasOne and hasMany '
  'relations that lead back.';
