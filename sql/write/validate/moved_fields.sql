create or replace function service_private.moved_fields(request jsonb, plan jsonb) returns text[]
  language plpgsql stable as $$
declare
  id text[] := case jsonb_array_length(plan -> 'keyTypes') when 1 then array[request -> 'path' ->> 1]
    else service_private.id_parts(request -> 'path' ->> 1) end;
begin
  if request ->> 'op' <> 'update' or not plan ? 'sentKey' then
    return null;
  end if;
  return (
    select array_agg(f.field order by f.field)
    from jsonb_to_recordset(plan -> 'fields') f (field text, key integer, unwraps text)
    where f.key is not null and service_private.unwrapped(request -> 'body' -> f.field, f.unwraps) #>> '{}' is distinct from id[f.key]);
end $$;

comment on function service_private.moved_fields(jsonb, jsonb) is
  'The names under which an update sends another key than that of its row, compared as text; null when it does not.';
