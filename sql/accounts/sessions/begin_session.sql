-- Verified facts are verified again: between the check of a password and this call it may have been changed, and the
-- account disabled. For passwords, service_private.credentials has already run the hook.
create or replace function service_private.begin_session(
  uid text, method text, refresh_hash bytea, lifetime interval, user_agent text, ip_address text, password_hash text default null,
  aal text default 'aal1') returns json
  language plpgsql volatile as $$
declare
  account service.users;
  session service.sessions;
begin
  select u.* into account from service.users u where u.uid = begin_session.uid for share;
  if account.uid is null or account.password_hash <> begin_session.password_hash then
    perform service.fail(401, 'INVALID_CREDENTIALS', 'The address or the password is wrong.');
  elsif account.disabled then
    perform service.fail(403, 'FORBIDDEN', 'This account is disabled.');
  elsif begin_session.aal = 'aal1' then
    perform service_private.refuse_single_factor(account);
  end if;
  if begin_session.method <> 'password' then
    perform service_private.before_login(account.email, begin_session.method);
  end if;
  delete from service.sessions s where s.uid = begin_session.uid and s.expires_at < clock_timestamp();
  insert into service.sessions (uid, method, aal, user_agent, ip_address, expires_at)
  values (begin_session.uid, begin_session.method, begin_session.aal, left(begin_session.user_agent, 512), begin_session.ip_address,
    clock_timestamp() + lifetime)
  returning * into session;
  insert into service.refresh_tokens (token_hash, session_id, expires_at) values (refresh_hash, session.id, session.expires_at);
  return service_private.session_json(account, session);
end $$;

comment on function service_private.begin_session(text, text, bytea, interval, text, text, text, text) is
  'Signs an account in: a session with its first refresh token (SHA-256 of it, and how long it lives). password_hash: the one that was '
  'verified, if one was; aal: aal2 after a second factor. {user, session}, as service_private.session_json. GW401 INVALID_CREDENTIALS, '
  'GW403 FORBIDDEN of a disabled account, GW401 MFA_REQUIRED as service_private.refuse_single_factor.';
