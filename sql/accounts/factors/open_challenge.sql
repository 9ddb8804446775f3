create or replace function service_private.open_challenge(uid text, challenge_id text) returns service.mfa_challenges
  language plpgsql volatile as $$
declare
  account service.users;
  found service.mfa_challenges;
begin
  select u.* into account from service.users u where u.uid = open_challenge.uid for no key update;
  select c.* into found
  from service.mfa_challenges c join service.mfa_factors f on f.id = c.factor_id
  where c.id = service_private.as_uuid(challenge_id) and f.uid = account.uid and c.verified_at is null and c.expires_at > clock_timestamp()
    and c.tokens_valid_after is not distinct from account.tokens_valid_after;
  if found.id is null then
    perform service.fail(400, 'INVALID_CHALLENGE', 'The challenge is not known, is over, or was answered already.');
  elsif found.wrong_codes >= 5 then
    perform service.fail(401, 'CHALLENGE_EXHAUSTED', 'Too many wrong codes; begin another challenge.');
  end if;
  return found;
end $$;

comment on function service_private.open_challenge(text, text) is
  'A challenge of an account that waits for its answer, with the account locked. GW400 INVALID_CHALLENGE for one that is unknown, of '
  'another account, answered, expired, or older than the end of the account''s sessions; GW401 CHALLENGE_EXHAUSTED after five wrong codes.';
