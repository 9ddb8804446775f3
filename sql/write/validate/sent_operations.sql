create or replace function service_private.sent_operations(request jsonb) returns jsonb
  language plpgsql immutable as $$
begin
  if request ->> 'op' <> 'update' or strpos(request ->> 'body', '"$') = 0 then
    return null;
  end if;
  return (
    select jsonb_object_agg(b.key, o.name)
    from jsonb_each(request -> 'body') b
    join unnest('{$inc,$push,$pull,$merge}'::text[]) o (name) on b.value = jsonb_build_object(o.name, b.value -> o.name));
end $$;

comment on function service_private.sent_operations(jsonb) is
  'Which fields of an update are sent an operation instead of a value, {field: operation}; null when none is.';

grant execute on function service_private.sent_operations(jsonb) to service_user;
