create or replace function service.before_user_create(account service.users) returns service.users
  language plpgsql volatile as $$
declare
  answer constant jsonb := service.call_account_hook('before_user_create', array[service.hook_account(account)::text]);
  wanted constant jsonb := service.hook_account(account) || coalesce(answer, '{}');
begin
  account.display_name := wanted ->> 'displayName';
  account.photo_url := wanted ->> 'photoURL';
  account.metadata := wanted -> 'metadata';
  account.roles := array(select jsonb_array_elements_text(wanted -> 'roles'));
  return account;
end $$;

comment on function service.before_user_create(service.users) is
  'An account that is to be made, as the hook before_user_create wants it: of what it returns displayName, photoURL, metadata and roles '
  'count, and a key that is not there changes nothing. Refuses as service.call_account_hook.';

revoke all on function service.before_user_create(service.users) from public;
