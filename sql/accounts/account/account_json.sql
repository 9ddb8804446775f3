create or replace function service_private.account_json(account service.users, method text) returns json
  language sql stable
begin atomic
  select json_build_object('uid', account.uid, 'email', account.email, 'displayName', account.display_name,
    'photoURL', account.photo_url, 'providerId', method, 'isAnonymous', account.is_anonymous,
    'emailVerified', account.email_verified, 'roles', account.roles, 'metadata', account.metadata,
    'pendingEmail', (
      select t.new_address from service.one_time_tokens t
      where t.uid = account.uid and t.purpose in ('email-change', 'guest-link') and t.used_at is null and t.expires_at > clock_timestamp()
        and service_private.is_current(t, account)));
end;

comment on function service_private.account_json(service.users, text) is
  'An account as its person sees it: {uid, email, displayName, photoURL, providerId, isAnonymous, emailVerified, roles, metadata, '
  'pendingEmail}. method: how the session began; pendingEmail: the address that waits to be confirmed.';
