create or replace function service_private.resolved_path(request jsonb, collection text) returns jsonb
  language sql immutable parallel safe
  return case when collection is null then request else request || jsonb_build_object('above', request -> 'path',
    'path', jsonb_build_array(collection)
      || case when request ->> 'op' = 'create' then '[]' else jsonb_build_array(request -> 'path' -> -1) end)
  end;

comment on function service_private.resolved_path(jsonb, text) is
  'A request with a nested path as that of the row it ends in, in its collection (null: the path is none), with the path as above.';

grant execute on function service_private.resolved_path(jsonb, text) to service_user;
