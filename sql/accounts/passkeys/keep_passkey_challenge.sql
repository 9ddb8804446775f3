create or replace function service_private.keep_passkey_challenge(challenge_hash bytea, uid text default null) returns void
  language sql volatile
begin atomic
  delete from service.passkey_challenges c where c.expires_at < clock_timestamp();
  insert into service.passkey_challenges (challenge_hash, uid, expires_at)
  values (keep_passkey_challenge.challenge_hash, keep_passkey_challenge.uid, clock_timestamp() + interval '5 minutes');
end;

comment on function service_private.keep_passkey_challenge(bytea, text) is
  'Keeps the SHA-256 of a challenge for five minutes: for a new passkey of the account uid, else for a sign-in.';
