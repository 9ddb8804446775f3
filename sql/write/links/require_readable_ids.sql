create or replace function service_private.require_readable_ids(request jsonb, ids jsonb) returns void
  language plpgsql stable as $$
begin
  if not (
    select bool_and(service_private.is_readable_id(request -> 'above' ->> i.place, i.types))
    from jsonb_to_recordset(ids) i (place integer, types jsonb))
  then
    perform service_private.require_parent(request, null);
  end if;
end $$;

comment on function service_private.require_readable_ids(jsonb, jsonb) is
  'Nothing, or GW404 NOT_FOUND {path} when an id above the row of a nested write cannot be of its type. ids: [{place: in the path, types: '
  'of the key}].';

grant execute on function service_private.require_readable_ids(jsonb, jsonb) to service_user;
