create or replace function service_private.hook_account(account service.users) returns jsonb
  language sql stable
begin atomic
  select jsonb_build_object('uid', account.uid, 'email', account.email, 'displayName', account.display_name,
    'photoURL', account.photo_url, 'metadata', account.metadata, 'roles', account.roles, 'isAnonymous', account.is_anonymous,
    'emailVerified', account.email_verified);
end;

comment on function service_private.hook_account(service.users) is
  'An account as hooks see it: {uid, email, displayName, photoURL, metadata, roles, isAnonymous, emailVerified}.';
