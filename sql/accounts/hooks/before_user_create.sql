create or replace function service_private.before_user_create(account service.users) returns service.users
  language plpgsql volatile as $$
declare
  answer constant jsonb := service_private.call_account_hook('before_user_create', array[service_private.hook_account(account)::text]);
  wanted constant jsonb := service_private.hook_account(account) || coalesce(answer, '{}');
begin
  account.display_name := wanted ->> 'displayName';
  account.photo_url := wanted ->> 'photoURL';
  account.metadata := wanted -> 'metadata';
  account.roles := array(select jsonb_array_elements_text(wanted -> 'roles'));
  return account;
end $$;

comment on function service_private.before_user_create(service.users) is
  'An account that is to be made, as the hook before_user_create wants it: of what it returns displayName, photoURL, metadata and roles '
  'count, and a key that is not there changes nothing. Refuses as service_private.call_account_hook.';
