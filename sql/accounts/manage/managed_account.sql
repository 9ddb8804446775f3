create or replace function service_private.managed_account(uid text) returns json
  language plpgsql stable as $$
declare
  found json := (select service_private.managed_account_json(u) from service.users u where u.uid = managed_account.uid);
begin
  if found is null then
    perform service.fail(404, 'USER_NOT_FOUND', 'There is no account with this uid.');
  end if;
  return found;
end $$;

comment on function service_private.managed_account(text) is 'service_private.managed_account_json of an account. GW404 USER_NOT_FOUND.';
