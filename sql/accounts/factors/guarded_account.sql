-- The lock comes first everywhere: what happens to the second factors of one account happens one after another.
create or replace function service_private.guarded_account(uid text, session_id text) returns service.users
  language plpgsql volatile as $$
declare
  account service.users;
begin
  select u.* into account from service.users u where u.uid = guarded_account.uid for no key update;
  if account.uid is null then
    perform service.fail(404, 'NOT_FOUND', 'There is no account of this caller.');
  elsif account.is_anonymous then
    perform service.fail(403, 'ANONYMOUS_USER', 'A guest has no address.');
  elsif service_private.has_second_factor(uid) then
    perform service_private.require_second_factor(uid, session_id);
  end if;
  return account;
end $$;

comment on function service_private.guarded_account(text, text) is
  'The account, locked, of which this session is about to change how it is reached. GW404 NOT_FOUND, GW403 ANONYMOUS_USER, and '
  'AAL2_REQUIRED of a session with one factor once the account has a second one.';
