create or replace function service.begin_password_reset(uid text, rank jsonb default 'null') returns json
  language plpgsql volatile as $$
begin
  perform service.managed_account(uid);
  perform service.require_rank(uid, '{}', rank);
  perform service.end_all_sessions(uid);
  return service.managed_account(uid);
end $$;

comment on function service.begin_password_reset(text, jsonb) is
  'Ends every session of an account that is to get another password. rank: of whoever does it, as service.beyond_rank has it. '
  'service.managed_account_json. GW404 USER_NOT_FOUND, and what service.require_rank refuses.';

revoke all on function service.begin_password_reset(text, jsonb) from public;
