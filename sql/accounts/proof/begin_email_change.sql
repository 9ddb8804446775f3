create or replace function service_private.begin_email_change(
  uid text, session_id text, new_email text, token_hash bytea, lifetime interval, hides_accounts boolean default false) returns json
  language plpgsql volatile as $$
declare
  wanted constant text := service_private.require_email(new_email);
  account constant service.users := service_private.guarded_account(uid, session_id);
  is_taken constant boolean := exists (select from service.users u where u.email = wanted and u.uid <> account.uid);
begin
  if account.email = wanted then
    perform service.fail(400, 'EMAIL_UNCHANGED', 'This is the address of the account already.');
  elsif is_taken and not hides_accounts then
    perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
  end if;
  perform service_private.issue_token(account.uid, 'email-change', token_hash, lifetime, wanted,
    session_id => begin_email_change.session_id);
  return json_build_object('pendingEmail', wanted, 'expiresAt', service_private.iso_time(clock_timestamp() + lifetime), 'isTaken', is_taken,
    'email', account.email, 'displayName', account.display_name);
end $$;

comment on function service_private.begin_email_change(text, text, text, bytea, interval, boolean) is
  'Keeps an address that an account is to have once it is confirmed: {pendingEmail, expiresAt, isTaken, email, displayName}, the last two '
  'as they are. The change ends with its session, and with every other change of the account''s address or generation. hides_accounts: a '
  'taken address is no error, and is not mailed to. Refuses as service_private.guarded_account; GW400 EMAIL_UNCHANGED, INVALID_INPUT, '
  'GW409 EMAIL_EXISTS.';
