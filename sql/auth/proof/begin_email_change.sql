create or replace function service.begin_email_change(
  uid text, session_id text, new_email text, token_hash bytea, lifetime interval) returns json
  language plpgsql volatile as $$
declare
  wanted constant text := service.normal_email(new_email);
  account constant service.users := service.guarded_account(uid, session_id);
begin
  if account.email = wanted then
    perform service.fail(400, 'EMAIL_UNCHANGED', 'This is the address of the account already.');
  elsif exists (select from service.users u where u.email = wanted) then
    perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
  end if;
  update service.users u set pending_email = wanted, updated_at = clock_timestamp() where u.uid = account.uid;
  perform service.issue_token(account.uid, 'email-change', token_hash, lifetime);
  return json_build_object('pendingEmail', wanted, 'expiresAt', service.iso_time(clock_timestamp() + lifetime), 'email', account.email,
    'displayName', account.display_name);
end $$;

comment on function service.begin_email_change(text, text, text, bytea, interval) is
  'Keeps an address that an account is to have once somebody there confirms it: {pendingEmail, expiresAt, email, displayName}, the last '
  'two as they are. Refuses as service.guarded_account; GW400 EMAIL_UNCHANGED, GW409 EMAIL_EXISTS.';

revoke all on function service.begin_email_change(text, text, text, bytea, interval) from public;
