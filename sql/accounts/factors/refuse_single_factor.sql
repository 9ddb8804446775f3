create or replace function service_private.refuse_single_factor(account service.users) returns void
  language plpgsql stable as $$
declare
  factors constant jsonb := (
    select jsonb_agg(service_private.factor_json(f) order by f.created_at, f.id)
    from service.mfa_factors f where f.uid = account.uid and f.verified_at is not null);
begin
  if factors is not null then
    perform service.fail(401, 'MFA_REQUIRED', 'This account signs in with a second factor.',
      jsonb_build_object('factors', factors, 'tokensValidAfter', service_private.epoch_text(account.tokens_valid_after)));
  end if;
end $$;

comment on function service_private.refuse_single_factor(service.users) is
  'GW401 MFA_REQUIRED of an account that has verified second factors; details name them: {factors, tokensValidAfter}. The latter is for '
  'service_private.require_pending_sign_in.';
