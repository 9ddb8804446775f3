create or replace function service_private.require_found(request jsonb, current text) returns void
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  row_named constant jsonb := jsonb_build_object('collection', request -> 'path' -> 0, 'id', request -> 'path' -> 1);
begin
  if current is null then
    perform service.fail(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.', row_named);
  elsif not request -> 'match' ? current then
    perform service.fail(412, 'PRECONDITION_FAILED', 'The row has changed since it was read.',
      row_named || jsonb_build_object('expected', request -> 'match', 'current', current));
  end if;
end $$;

comment on function service_private.require_found(jsonb, text) is
  'Nothing, or GW404 NOT_FOUND when there is no row that the caller sees (current is null), GW412 PRECONDITION_FAILED {collection, id, '
  'expected, current} when a request has tags (match) and the row another one (current, service_private.stored_tag).';

grant execute on function service_private.require_found(jsonb, text) to service_user;
