-- Any object with a key that begins with $ reads as an operation: stored as a value it would be a misspelled one.
create or replace function service_private.refuse_operations(request jsonb, plan jsonb) returns void
  language plpgsql stable as $$
declare
  operation record;
begin
  if strpos(request ->> 'body', '"$') = 0 then
    return;
  end if;
  select b.key as field, string_agg(k, ', ' order by k) as keys, plan -> 'operations' ->> b.key as known into operation
  from jsonb_each(request -> 'body') b
  cross join lateral jsonb_object_keys(case jsonb_typeof(b.value) when 'object' then b.value else '{}' end) k
  group by b.key
  having bool_or(left(k, 1) = '$')
    and service_private.sent_operand(request -> 'body' -> b.key, plan -> 'operations' ->> b.key) is null
  order by b.key
  limit 1;
  if operation.field is null then
    return;
  end if;
  perform service.fail(400, 'INVALID_FIELD_OPERATION',
    case when operation.known is null
      then format('%s: {%s} is no operation here. An update may use one of $inc, $merge, $pull, $push.', operation.field, operation.keys)
      else format('%s: %s takes %s.', operation.field, operation.known, case operation.known when '$inc' then 'a number'
        when '$merge' then 'an object' else 'an item, or an array of them that is not empty' end) end,
    jsonb_build_object('collection', request -> 'path' -> 0, 'field', operation.field));
end $$;

comment on function service_private.refuse_operations(jsonb, jsonb) is
  'Nothing, or GW400 INVALID_FIELD_OPERATION {collection, field} for a field operation ({"views": {"$inc": 1}}) that does not exist, '
  'that a create sends, or that has nothing to work with.';
