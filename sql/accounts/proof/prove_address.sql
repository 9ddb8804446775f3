-- Before an address is proven, anyone could have registered it: their password and identities would be a way in for
-- them, and a second factor would keep the owner out. Credentials set in the prover's own session are the prover's.
create or replace function service_private.prove_address(uid text, keeps_password boolean default false,
  keeps_identities boolean default false,
  unlinks boolean default true) returns boolean
  language plpgsql volatile as $$
declare
  account service.users;
  removes_password boolean;
begin
  select u.* into account from service.users u where u.uid = prove_address.uid for update;
  if not service_private.has_unproven(account) then
    return false;
  end if;
  removes_password := account.password_hash is not null and not account.password_proven and not keeps_password;
  if not keeps_identities then
    perform service_private.remove_unproven_identities(account.uid, account.email, unlinks);
    delete from service.passkeys p where p.uid = account.uid and not p.is_proven;
  end if;
  if not keeps_password then
    perform service.delete_factors(account.uid,
      array(select f.id from service.mfa_factors f where f.uid = account.uid and not f.is_proven));
  end if;
  update service.user_identities i set is_proven = true where i.uid = account.uid;
  update service.mfa_factors f set is_proven = true where f.uid = account.uid;
  update service.passkeys p set is_proven = true where p.uid = account.uid;
  update service.users u set
    password_hash = case when removes_password then null else u.password_hash end,
    password_proven = not removes_password and u.password_hash is not null,
    email_verified = true,
    updated_at = clock_timestamp()
  where u.uid = account.uid;
  if not keeps_password then
    perform service.end_all_sessions(account.uid);
  end if;
  return removes_password;
end $$;

comment on function service_private.prove_address(text, boolean, boolean, boolean) is
  'Records a proof that the address of an account belongs to its user. Credentials that another person may have set before are removed, '
  'with their sessions: a password and second factors from before, unless they are the prover''s (keeps_password), passkeys, and '
  'identities whose provider does not vouch for the address, unless they are the prover''s (keeps_identities), as '
  'service_private.remove_unproven_identities does it (unlinks). Returns whether a password was removed.';
