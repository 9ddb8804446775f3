create or replace function service.sign_in_outcome(provider text, provider_id text, email text, email_verified boolean)
  returns table (outcome text, uid text, reason text, explanation text)
  language sql stable
begin atomic
  select o.outcome, o.uid, o.reason, case
    when o.outcome = 'known' then 'This identity belongs to the account.'
    when o.outcome = 'linked' then 'The provider vouches for the address, and nothing of the account with it is unproven.'
    when o.outcome = 'new' and service_private.told_address(email) is null then 'The provider tells no address.'
    when o.outcome = 'new' then 'No account has this address; registration has to be open.'
    when o.reason = 'provider-email-unverified' then 'The provider does not vouch for the address of this account.'
    else 'Another person may have made this account, or what it signs in with: its address was not proven since.'
  end
  from service_private.identity_outcome(provider, provider_id, email,
    coalesce(email_verified, false) and service_private.told_address(email) is not null) o;
end;

comment on function service.sign_in_outcome(text, text, text, boolean) is
  'The outcome of a sign-in with this identity at a provider, which tells this address and whether it vouches for it: known (uid signs '
  'in), linked (to uid, which signs in), new (an account is made) or refused (403 EMAIL_NOT_VERIFIED with this reason), and an '
  'explanation. Nothing changes. Disabled accounts and second factors are judged after this.';

-- Example: select * from service.sign_in_outcome('github', '583231', 'ada@example.org', true);
