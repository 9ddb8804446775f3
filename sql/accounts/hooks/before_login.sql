create or replace function service_private.before_login(email text, method text) returns void
  language sql volatile
begin atomic
  select service_private.call_account_hook('before_login', array[service_private.normal_email(email), method]);
end;

comment on function service_private.before_login(text, text) is
  'Asks the hook before_login, whether there is an account of this address or not. Refuses as service_private.call_account_hook.';
