create or replace function service_private.take_passkey_challenge(challenge_hash bytea, uid text default null) returns void
  language plpgsql volatile as $$
begin
  delete from service.passkey_challenges c
  where c.challenge_hash = take_passkey_challenge.challenge_hash and c.uid is not distinct from take_passkey_challenge.uid
    and c.expires_at >= clock_timestamp();
  if not found then
    perform service.fail(400, 'INVALID_CHALLENGE', 'This challenge is not open: ask for options again.');
  end if;
end $$;

comment on function service_private.take_passkey_challenge(bytea, text) is
  'Takes what service_private.keep_passkey_challenge keeps, once, for the same purpose. GW400 INVALID_CHALLENGE.';
