-- A blank key asks for one to be made, as if it had not been sent. Where a part of an upsert's target is blank no row can be there
-- already.
create or replace function service_private.write_shape(request jsonb) returns jsonb
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select jsonb_strip_nulls(jsonb_build_object(
    'op', request -> 'op', 'collection', request -> 'path' -> 0, 'path', service_private.nested_path(request),
    'return', request -> 'return', 'hard', request -> 'hard', 'fields', request -> 'fields', 'ref', request ? 'ref' or null,
    'match', request ? 'match' or null,
    'operations', service_private.sent_operations(request),
    'conflict', case when request ? 'conflict' and not service_private.has_blank_target(request) then request -> 'conflict' end,
    'body', (
      select coalesce(jsonb_agg(b.key order by b.key collate "C"), '[]')
      from jsonb_each(request -> 'body') b
      where not (request ->> 'op' = 'create' and b.value in ('null', '""') and exists (
        select from service.collections c join service.properties p on p.collection = c.slug and p.name = any (c.key)
        where c.slug = service_private.written_collection(request) and b.key in (p.name, p.column_name))))));
end;

comment on function service_private.write_shape(jsonb) is
  'The input of service_private.write_plan for a write: {op, collection, path: service_private.nested_path?, body: [names], operations?, '
  'return?, fields?, hard?, match?, conflict?, ref?}, its values left out; names of a blank key too, when it creates.';

grant execute on function service_private.write_shape(jsonb) to service_user;
