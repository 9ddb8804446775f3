-- The account is locked, and then looked at again: what is proven of it can change until then.
-- An error does not count when a concurrent sign-in or registration has changed the outcome: its account is the one that counts.
create or replace function service_private.resolve_identity(
  provider text, provider_id text, email text, vouches boolean, profile jsonb, default_role text, open boolean, closed boolean,
  production boolean, unlinks boolean default true)
  returns table (uid text, is_new boolean, was_proven boolean, must_confirm boolean, may_remind boolean)
  language plpgsql volatile as $$
declare
  told constant text := service_private.told_address(email);
  is_vouched constant boolean := told is not null and coalesce(vouches, false);
  expected record;
  account service.users;
  proves boolean;
begin
  loop
    select o.* into expected from service_private.identity_outcome(provider, provider_id, told, is_vouched) o;
    select u.* into account from service.users u where u.uid = expected.uid for update;
    continue when expected is distinct from (
      select o from service_private.identity_outcome(provider, provider_id, told, is_vouched) o);
    begin
      if expected.outcome = 'refused' then
        perform service.fail(403, 'EMAIL_NOT_VERIFIED',
          'An account has this address, and it is not proven that both are the same person''s.',
          jsonb_build_object('reason', expected.reason, 'provider', resolve_identity.provider));
      elsif expected.outcome = 'new' then
        account.uid := service_private.register(
          coalesce(told, service_private.placeholder_address(provider, provider_id)), null, profile ->> 'displayName', default_role,
          open, closed, production, is_vouched, profile ->> 'photoURL');
        perform service_private.add_identity(account.uid, provider, provider_id, told, is_vouched, is_vouched, profile);
      elsif expected.outcome = 'linked' then
        perform service_private.add_identity(account.uid, provider, provider_id, told, is_vouched, true);
        perform service_private.refresh_identity(provider, provider_id, told, is_vouched, profile);
      else
        perform service_private.refresh_identity(provider, provider_id, told, is_vouched, profile);
        proves := is_vouched and account.email = told and service_private.has_unproven(account);
        if proves then
          perform service_private.prove_address(account.uid, unlinks => resolve_identity.unlinks);
        end if;
      end if;
      exit;
    exception when unique_violation or sqlstate 'GW403' or sqlstate 'GW409' then
      if expected is not distinct from (
        select o from service_private.identity_outcome(provider, provider_id, told, is_vouched) o)
      then
        raise;
      end if;
    end;
  end loop;
  return query
  select u.uid, expected.outcome = 'new', coalesce(proves, false), not u.email_verified and not u.disabled,
    service_private.may_remind(u.uid)
  from service.users u where u.uid = account.uid;
end $$;

comment on function service_private.resolve_identity(
  text, text, text, boolean, jsonb, text, boolean, boolean, boolean, boolean) is
  'The account that a person signs in to by an identity of a provider, as service_private.identity_outcome says: theirs, one that is '
  'linked now, or a new one (service_private.register, which takes default_role to production). vouches: whether the provider says that '
  'the address is this person''s; profile: {displayName, photoURL}; unlinks: auth.unlinkIdentities. is_new: it was made; was_proven: its '
  'address was proven by this, which ended its sessions (service_private.prove_address); must_confirm: the address is not verified; '
  'may_remind: no verification was mailed within a minute. GW403 EMAIL_NOT_VERIFIED {reason, provider}; GW409 EMAIL_EXISTS; refuses as '
  'service_private.register and service_private.remove_unproven_identities.';
