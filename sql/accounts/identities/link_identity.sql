-- The lock comes first, as in service_private.guarded_account: a guest has no other way in, and may link.
create or replace function service_private.link_identity(
  uid text, session_id text, provider text, provider_id text, email text, vouches boolean, profile jsonb)
  returns table (already_linked boolean, photo_url text)
  language plpgsql volatile as $$
declare
  told constant text := service_private.told_address(email);
  is_vouched constant boolean := told is not null and coalesce(vouches, false);
  account service.users;
  owner text;
begin
  select u.* into account from service.users u where u.uid = link_identity.uid for update;
  if account.uid is null then
    perform service.fail(404, 'NOT_FOUND', 'There is no account of this caller.');
  elsif service_private.has_second_factor(uid) then
    perform service_private.require_second_factor(uid, session_id);
  end if;
  select i.uid into owner
  from service.user_identities i
  where i.provider = link_identity.provider and i.provider_id = link_identity.provider_id;
  if owner <> account.uid then
    perform service_private.refuse_identity();
  elsif owner is null then
    if account.is_anonymous then
      perform service_private.link_guest(uid, coalesce(told, service_private.placeholder_address(provider, provider_id)), null);
      select u.* into account from service.users u where u.uid = link_identity.uid;
    end if;
    begin
      perform service_private.add_identity(uid, provider, provider_id, told, is_vouched, not service_private.has_unproven(account));
    exception when unique_violation then -- another account was faster
      perform service_private.refuse_identity();
    end;
  end if;
  perform service_private.refresh_identity(provider, provider_id, told, is_vouched, profile);
  if is_vouched and account.email = told then
    perform service_private.prove_address(uid, keeps_password => true, keeps_identities => true);
  end if;
  return query select owner is not null, u.photo_url from service.users u where u.uid = link_identity.uid;
end $$;

comment on function service_private.link_identity(text, text, text, text, text, boolean, jsonb) is
  'Adds the identity of a provider to the account of a session; a guest becomes an account with the address that the provider tells. '
  'vouches, profile: as in service_private.resolve_identity. A provider that vouches for the account''s own address proves it, and as the '
  'session is the person''s own everything stays. already_linked: it is this account''s since before. GW409 IDENTITY_ALREADY_LINKED (to '
  'another account), EMAIL_EXISTS (a guest), GW403 AAL2_REQUIRED, GW404 NOT_FOUND.';
