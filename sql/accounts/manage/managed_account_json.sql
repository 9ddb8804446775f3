create or replace function service_private.managed_account_json(account service.users) returns json
  language sql stable
begin atomic
  select json_build_object('uid', account.uid, 'email', account.email, 'displayName', account.display_name, 'photoURL', account.photo_url,
    'providerId', 'custom', 'roles', account.roles, 'disabled', account.disabled, 'createdAt', service_private.iso_time(account.created_at),
    'updatedAt', service_private.iso_time(account.updated_at));
end;

comment on function service_private.managed_account_json(service.users) is
  'An account as those see it who manage accounts: {uid, email, displayName, photoURL, providerId, roles, disabled, createdAt, updatedAt}.';
