-- Any object with a key that begins with $ reads as an operation: stored as a value it would be a misspelled one.
create or replace function service.refuse_operations(request jsonb) returns void
  language plpgsql stable as $$
declare
  operation record;
begin
  if strpos(request ->> 'body', '"$') = 0 then
    return;
  end if;
  select b.key as field, string_agg(k, ', ' order by k) as keys into operation
  from jsonb_each(request -> 'body') b
  cross join lateral jsonb_object_keys(case jsonb_typeof(b.value) when 'object' then b.value else '{}' end) k
  group by b.key
  having bool_or(left(k, 1) = '$')
  order by b.key
  limit 1;
  if operation.field is null then
    return;
  end if;
  if request ->> 'op' = 'update' and operation.keys in ('$inc', '$merge', '$pull', '$push') then
    perform service.fail(501, 'NOT_IMPLEMENTED', format('The operation %s is not available yet.', operation.keys),
      jsonb_build_object('collection', request -> 'path' -> 0, 'field', operation.field));
  end if;
  perform service.fail(400, 'INVALID_FIELD_OPERATION',
    format('%s: {%s} is no operation here. An update may use one of $inc, $merge, $pull, $push.', operation.field, operation.keys),
    jsonb_build_object('collection', request -> 'path' -> 0, 'field', operation.field));
end $$;

comment on function service.refuse_operations(jsonb) is
  'Nothing, or GW501 NOT_IMPLEMENTED for a field operation ({"views": {"$inc": 1}}), GW400 INVALID_FIELD_OPERATION for one that '
  'does not exist or that a create sends.';

revoke all on function service.refuse_operations(jsonb) from public;
