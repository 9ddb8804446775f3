create or replace function service.begin_second_factor_session(
  uid text, challenge_id text, time_step bigint, recovery_code bytea, refresh_hash bytea, lifetime interval, user_agent text,
  ip_address text) returns json
  language sql volatile
begin atomic
  select case when service.answer_challenge(uid, challenge_id, time_step, recovery_code)
    then service.begin_session(uid, 'mfa', refresh_hash, lifetime, user_agent, ip_address, aal => 'aal2') end;
end;

comment on function service.begin_second_factor_session(text, text, bigint, bytea, bytea, interval, text, text) is
  'Signs an account in by a challenge: service.answer_challenge, and when the code is right service.begin_session, at aal2. Null of a '
  'wrong code.';

revoke all on function service.begin_second_factor_session(text, text, bigint, bytea, bytea, interval, text, text) from public;
