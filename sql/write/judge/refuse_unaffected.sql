create or replace function service.refuse_unaffected(request jsonb, visible boolean, moved text[] default null) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  collection text := request -> 'path' ->> 0;
begin
  if not visible and request ->> 'op' <> 'create' then
    perform service.fail(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.',
      jsonb_build_object('collection', collection, 'id', request -> 'path' -> 1));
  end if;
  if moved is not null then
    perform service.fail(400, 'KEY_IMMUTABLE',
      format('%s is the key of %s and cannot be changed.', array_to_string(moved, ', '), collection),
      service.violation_details(collection, moved, 'key_immutable', 'The key of a row (%s) cannot be changed.'));
  end if;
  perform service.fail(403, 'WRITE_DENIED', 'Row security does not let this caller write this row.',
    jsonb_build_object('collection', collection));
end $$;

comment on function service.refuse_unaffected(jsonb, boolean, text[]) is
  'Says why a write touched no row: GW404 NOT_FOUND when the caller does not see it, GW400 KEY_IMMUTABLE when it would move the '
  'row''s key under these names, else GW403 WRITE_DENIED.';

revoke all on function service.refuse_unaffected(jsonb, boolean, text[]) from public;
grant execute on function service.refuse_unaffected(jsonb, boolean, text[]) to service_user;
