create or replace function service_private.reachable_account(email text) returns table (uid text)
  language sql stable
begin atomic
  select u.uid from service.users u
  where u.email = service_private.normal_email(reachable_account.email) and not u.is_anonymous and not u.disabled;
end;

comment on function service_private.reachable_account(text) is 'The account of an address, if mail may be sent to it. No row without one.';
