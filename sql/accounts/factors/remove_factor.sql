create or replace function service_private.remove_factor(uid text, session_id text, factor_id text) returns void
  language plpgsql volatile as $$
begin
  perform service_private.guarded_account(uid, session_id);
  perform service_private.require_second_factor(uid, session_id);
  if not service.delete_factors(uid, array[service_private.as_uuid(factor_id)]) then
    perform service.fail(404, 'NOT_FOUND', 'This account has no such factor.');
  end if;
end $$;

comment on function service_private.remove_factor(text, text, text) is
  'A person takes a second factor from his account: service.delete_factors. GW403 AAL2_REQUIRED, GW404 NOT_FOUND.';
