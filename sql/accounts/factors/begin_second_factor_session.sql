create or replace function service_private.begin_second_factor_session(
  uid text, challenge_id text, time_step bigint, recovery_code bytea, refresh_hash bytea, lifetime interval, user_agent text,
  ip_address text) returns json
  language sql volatile
begin atomic
  select case when service_private.answer_challenge(uid, challenge_id, time_step, recovery_code)
    then service_private.begin_session(uid, 'mfa', refresh_hash, lifetime, user_agent, ip_address, aal => 'aal2') end;
end;

comment on function service_private.begin_second_factor_session(text, text, bigint, bytea, bytea, interval, text, text) is
  'Signs an account in by a challenge: service_private.answer_challenge, and when the code is right service_private.begin_session, at '
  'aal2. Null of a wrong code.';
