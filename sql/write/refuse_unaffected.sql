create or replace function service.refuse_unaffected(request jsonb, visible boolean) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if visible or request ->> 'op' = 'create' then
    perform service.fail(403, 'WRITE_DENIED', 'Row security does not let this caller write this row.');
  end if;
  perform service.fail(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.',
    jsonb_build_object('collection', request -> 'path' -> 0, 'id', request -> 'path' -> 1));
end $$;

comment on function service.refuse_unaffected(jsonb, boolean) is
  'Says why a write touched no row: GW403 WRITE_DENIED when the caller sees the row, GW404 NOT_FOUND when not.';

revoke all on function service.refuse_unaffected(jsonb, boolean) from public;
grant execute on function service.refuse_unaffected(jsonb, boolean) to service_user;
