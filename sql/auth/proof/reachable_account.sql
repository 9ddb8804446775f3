create or replace function service.reachable_account(email text)
  returns table (uid text, display_name text)
  language sql stable
begin atomic
  select u.uid, u.display_name from service.users u
  where u.email = service.normal_email(reachable_account.email) and not u.is_anonymous and not u.disabled;
end;

comment on function service.reachable_account(text) is 'The account that something may be mailed to at this address. No row without one.';

revoke all on function service.reachable_account(text) from public;
