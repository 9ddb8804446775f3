create or replace function service_private.begin_password_reset(uid text, rank jsonb default 'null') returns json
  language plpgsql volatile as $$
begin
  perform service_private.managed_account(uid);
  perform service_private.require_rank(uid, '{}', rank);
  perform service.end_all_sessions(uid);
  return service_private.managed_account(uid);
end $$;

comment on function service_private.begin_password_reset(text, jsonb) is
  'Ends every session of an account that is about to get another password. rank: of the manager, as service_private.beyond_rank has it. '
  'service_private.managed_account_json. GW404 USER_NOT_FOUND, and the errors of service_private.require_rank.';
