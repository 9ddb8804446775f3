create or replace function service_private.identity_outcome(provider text, provider_id text, email text, vouches boolean)
  returns table (outcome text, uid text, reason text)
  language plpgsql stable as $$
declare
  account service.users;
begin
  select i.uid into account.uid
  from service.user_identities i
  where i.provider = identity_outcome.provider and i.provider_id = identity_outcome.provider_id;
  if account.uid is not null then
    return query values ('known', account.uid, null::text);
    return;
  end if;
  select u.* into account from service.users u where u.email = service_private.told_address(identity_outcome.email);
  if account.uid is null then
    return query values ('new', null::text, null::text);
  elsif not vouches then
    return query values ('refused', account.uid, 'provider-email-unverified');
  elsif service_private.has_unproven(account) then
    return query values ('refused', account.uid,
      'local-account-unverified' || case when account.password_hash is null then '-passwordless' else '' end);
  else
    return query values ('linked', account.uid, null::text);
  end if;
end $$;

comment on function service_private.identity_outcome(text, text, text, boolean) is
  'The outcome of a sign-in with this identity: known (it belongs to the account uid), linked (to the account that has its address), '
  'refused (another person may be behind that account; reason says which side does not prove the address) or new (an account is made). '
  'vouches: whether the provider says that the address is this person''s.';
