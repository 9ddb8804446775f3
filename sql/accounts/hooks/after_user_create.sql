create or replace function service_private.after_user_create(account service.users) returns void
  language plpgsql volatile as $$
begin
  perform service_private.call_account_hook('after_user_create', array[service_private.hook_account(account)::text]);
exception when others then
  raise warning 'The hook after_user_create failed for the account %: %', account.uid, sqlerrm;
end $$;

comment on function service_private.after_user_create(service.users) is
  'Tells the hook after_user_create of an account that was made. When it fails, what it did is undone and a warning says so; the account '
  'stays.';
