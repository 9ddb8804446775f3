create or replace function service_private.begin_challenge(uid text, factor_id text, lifetime interval default '5 minutes') returns json
  language plpgsql volatile as $$
declare
  factor service.mfa_factors;
  made service.mfa_challenges;
begin
  select f.* into factor from service.mfa_factors f where f.id = service_private.as_uuid(factor_id) and f.uid = begin_challenge.uid;
  if factor.id is null then
    perform service.fail(404, 'NOT_FOUND', 'This account has no such factor.');
  elsif factor.verified_at is null then
    perform service.fail(400, 'FACTOR_NOT_VERIFIED', 'Verify this factor by a first code before it is used.');
  end if;
  delete from service.mfa_challenges c where c.factor_id = factor.id and c.expires_at < clock_timestamp();
  insert into service.mfa_challenges (factor_id, tokens_valid_after, expires_at)
  select factor.id, u.tokens_valid_after, clock_timestamp() + lifetime from service.users u where u.uid = factor.uid
  returning * into made;
  return json_build_object('challengeId', made.id, 'factorId', factor.id, 'expiresAt', service_private.iso_time(made.expires_at));
end $$;

comment on function service_private.begin_challenge(text, text, interval) is
  'Asks an account for a code of a factor: {challengeId, factorId, expiresAt}. GW404 NOT_FOUND, GW400 FACTOR_NOT_VERIFIED.';
