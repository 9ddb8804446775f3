-- The link may be followed by another person than the one who asked for the change: proof of the old address is none of the new one,
-- unless a session of the account follows the link.
create or replace function service_private.confirm_email_change(token_hash bytea, session_uid text, unlinks boolean default true)
  returns json
  language plpgsql volatile as $$
declare
  token constant service.one_time_tokens := service_private.redeem_token(token_hash, '{email-change}');
  is_own constant boolean := token.uid is not distinct from session_uid;
  removed constant text[] := service_private.remove_unproven_identities(token.uid, token.new_address, unlinks);
begin
  update service.user_identities i set is_proven = i.is_proven and is_own where i.uid = token.uid;
  update service.mfa_factors f set is_proven = f.is_proven and is_own where f.uid = token.uid;
  update service.passkeys p set is_proven = p.is_proven and is_own where p.uid = token.uid;
  update service.users u set email = token.new_address, email_verified = true, password_proven = u.password_proven and is_own,
    updated_at = clock_timestamp()
  where u.uid = token.uid;
  if not is_own then
    perform service.end_all_sessions(token.uid);
  end if;
  return json_build_object('user', json_build_object('uid', token.uid, 'email', token.new_address, 'emailVerified', true),
    'removedProviders', removed);
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service_private.confirm_email_change(bytea, text, boolean) is
  'Gives an account the address that it asked for, by the link (SHA-256 of its token) that was mailed there. Outside a session of the '
  'account (session_uid) every session ends, and the password, second factors, identities and passkeys are unproven from then on. {user: '
  '{uid, email, emailVerified}, removedProviders}. GW409 EMAIL_EXISTS when another account has the address by now. Refuses as '
  'service_private.redeem_token and service_private.remove_unproven_identities (unlinks).';
