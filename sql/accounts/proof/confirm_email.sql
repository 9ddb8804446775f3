create or replace function service_private.confirm_email(
  token_hash bytea, session_uid text, has_password boolean, removes_unproven boolean, unlinks boolean default true) returns json
  language plpgsql volatile as $$
declare
  owner text;
  is_own boolean;
  removed boolean;
begin
  perform service_private.take_guest_link(token_hash, session_uid);
  owner := (service_private.redeem_token(token_hash, '{verification,guest-link}')).uid;
  is_own := owner is not distinct from session_uid;
  if not is_own and not has_password and not removes_unproven and exists (
    select from service.users u where u.uid = owner and (
      u.password_hash is not null and not u.password_proven
      or exists (select from service.user_identities i where i.uid = owner and not i.is_proven)
      or exists (select from service.passkeys p where p.uid = owner and not p.is_proven)))
  then
    perform service.fail(409, 'PROOF_REQUIRED',
      'Sign in first, or send the password, or removeUnproven: true to remove what was set before the address was confirmed.');
  end if;
  removed := service_private.prove_address(owner, is_own or has_password, is_own, unlinks);
  return json_build_object('uid', owner, 'passwordRemoved', removed);
end $$;

comment on function service_private.confirm_email(bytea, text, boolean, boolean, boolean) is
  'A person confirms an address by its verification link (SHA-256 of its token): it is proven. In a session of the account (session_uid) '
  'everything stays; with the account''s password (has_password) that stays; else what was set before is removed, when removes_unproven '
  'says so: GW409 PROOF_REQUIRED when it does not. {uid, passwordRemoved}. Refuses as service_private.redeem_token and '
  'service_private.remove_unproven_identities (unlinks). A guest''s link first makes the account (service_private.take_guest_link).';
