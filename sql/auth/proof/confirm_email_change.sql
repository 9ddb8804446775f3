-- Whoever follows the link need not be who asked for the change: what was proven for the old address is unproven for the new one, unless
-- it is followed in a session of the account.
create or replace function service.confirm_email_change(token_hash bytea, session_uid text, unlinks boolean default true) returns json
  language plpgsql volatile as $$
declare
  owner constant text := service.redeem_token(token_hash, '{email-change}');
  is_own constant boolean := owner is not distinct from session_uid;
  removed text[];
  changed service.users;
begin
  removed := service.remove_unproven_identities(owner, (select u.pending_email from service.users u where u.uid = owner), unlinks);
  update service.user_identities i set is_proven = i.is_proven and is_own where i.uid = owner;
  update service.users u set email = u.pending_email, pending_email = null, email_verified = true,
    password_proven = u.password_proven and is_own, updated_at = clock_timestamp()
  where u.uid = owner and u.pending_email is not null
  returning u.* into changed;
  if changed.uid is null then
    perform service.fail(400, 'INVALID_TOKEN', 'The link is not known. Ask for a new one.');
  end if;
  return json_build_object('user', json_build_object('uid', changed.uid, 'email', changed.email, 'emailVerified', true),
    'removedProviders', removed);
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service.confirm_email_change(bytea, text, boolean) is
  'Gives an account the address that it asked for, by the link (SHA-256 of its token) that was mailed there; session_uid: who follows it, '
  'if that is known. {user: {uid, email, emailVerified}, removedProviders}. GW409 EMAIL_EXISTS when somebody else has the address by '
  'now. Refuses as service.redeem_token and '
  'service.remove_unproven_identities (unlinks).';

revoke all on function service.confirm_email_change(bytea, text, boolean) from public;
