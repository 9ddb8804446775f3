create or replace function service_private.declared_inverses()
  returns table (
    collection text, name text, "position" integer, path text, kind text, target text, relation jsonb, column_name text, source_column text)
  language sql stable
begin atomic
  select d.collection, d.name, d."position", d.path, d.kind, d.target, d.relation,
    service_private.named_column(d.target, coalesce(d.relation ->> 'foreignKeyOnTarget', service_private.key_column_for(d.collection))),
    service_private.named_column(d.collection, d.relation ->> 'sourceKey')
  from service_private.declared_relations() d
  join service.collections t on t.slug = d.target
  where d.kind in ('hasOne', 'hasMany');
end;

comment on function service_private.declared_inverses() is
  'The hasOne and hasMany relations that definitions declare: the column of the target that leads here, and the column here that it '
  'leads to; null is the key.';
