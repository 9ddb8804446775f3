-- A belongsTo is sent by its name (an id, or the row as an object) or by its foreign key. What the service stamps itself
-- is taken out of what was sent.
create or replace function service.body_columns(served service.collections, body jsonb)
  returns table (field text, value jsonb, column_name text, type text, sql_type text, attributes jsonb, is_key boolean)
  language sql stable
begin atomic
  select b.key, case when r.name is null or jsonb_typeof(b.value) <> 'object' then b.value else coalesce(b.value -> t.name, b.value -> 'id', 'null') end,
    p.column_name, p.type, p.sql_type, p.attributes, p.name = any (served.key)
  from jsonb_each(body) b
  left join service.relations r on r.collection = served.slug and r.name = b.key and r.kind = 'belongsTo' and cardinality(r.local_columns) = 1
    and not exists (select from service.properties own where own.collection = served.slug and own.name = b.key and jsonb_typeof(b.value) <> 'object')
  left join service.properties t on t.collection = r.target and t.column_name = r.target_columns[1]
  join service.properties p on p.collection = served.slug
    and case when r.name is null then b.key in (p.name, p.column_name) else p.column_name = r.local_columns[1] end
  where not p.excluded and not p.attributes ? 'autoValue';
end;

comment on function service.body_columns(service.collections, jsonb) is 'The fields of a body with the columns they write.';

revoke all on function service.body_columns(service.collections, jsonb) from public;
