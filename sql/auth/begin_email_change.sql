create or replace function service.begin_email_change(uid text, new_email text, token_hash bytea, lifetime interval) returns json
  language plpgsql volatile as $$
declare
  wanted constant text := service.normal_email(new_email);
  account service.users;
begin
  select u.* into account from service.users u where u.uid = begin_email_change.uid for update;
  if account.uid is null then
    perform service.fail(404, 'NOT_FOUND', 'There is no account of this caller.');
  elsif account.is_anonymous then
    perform service.fail(403, 'ANONYMOUS_USER', 'A guest has no address to change.');
  elsif account.email = wanted then
    perform service.fail(400, 'EMAIL_UNCHANGED', 'This is the address of the account already.');
  elsif exists (select from service.users u where u.email = wanted) then
    perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
  end if;
  update service.users u set pending_email = wanted, updated_at = clock_timestamp() where u.uid = account.uid;
  perform service.issue_token(account.uid, 'email-change', token_hash, lifetime);
  return json_build_object('pendingEmail', wanted, 'expiresAt', service.iso_time(clock_timestamp() + lifetime), 'email', account.email,
    'displayName', account.display_name);
end $$;

comment on function service.begin_email_change(text, text, bytea, interval) is
  'Keeps an address that an account is to have once somebody there confirms it: {pendingEmail, expiresAt, email, displayName}, the last '
  'two as they are. GW403 ANONYMOUS_USER, GW400 EMAIL_UNCHANGED, GW409 EMAIL_EXISTS.';

revoke all on function service.begin_email_change(text, text, bytea, interval) from public;
