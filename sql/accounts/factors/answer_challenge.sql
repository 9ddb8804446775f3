-- A wrong code is an answer and no exception, or its count would be rolled back.
create or replace function service_private.answer_challenge(uid text, challenge_id text, time_step bigint, recovery_code bytea)
  returns boolean
  language plpgsql volatile as $$
declare
  challenge constant service.mfa_challenges := service_private.open_challenge(uid, challenge_id);
  is_right boolean;
begin
  update service.mfa_factors f set last_time_step = time_step
  where f.id = challenge.factor_id and time_step > coalesce(f.last_time_step, 0);
  is_right := found;
  if not is_right then
    delete from service.recovery_codes c where c.uid = answer_challenge.uid and c.code_hash = recovery_code;
    is_right := found;
  end if;
  update service.mfa_challenges c set
    verified_at = case when is_right then clock_timestamp() end,
    wrong_codes = c.wrong_codes + (not is_right)::integer
  where c.id = challenge.id;
  return is_right;
end $$;

comment on function service_private.answer_challenge(text, text, bigint, bytea) is
  'Answers a challenge by a right code of its factor (time_step: the 30 seconds since the epoch that it is of), which no other code of '
  'then or before can follow, or by a recovery code (SHA-256 of it), for the last time. False of neither, which counts on the challenge. '
  'Refuses as service_private.open_challenge.';
