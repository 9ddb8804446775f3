create or replace function service.before_login(email text, method text) returns void
  language sql volatile
begin atomic
  select service.call_account_hook('before_login', array[service.normal_email(email), method]);
end;

comment on function service.before_login(text, text) is
  'Asks the hook before_login, whether there is an account of this address or not. Refuses as service.call_account_hook.';

revoke all on function service.before_login(text, text) from public;
