-- What already is so is not written again: it may be the account itself that has just changed the row.
create or replace function service.keep_account(account service.users) returns void
  language plpgsql volatile as $$
begin
  account.email := service.require_email(account.email);
  if exists (select from service.users u where u.uid = account.uid) then
    if not 'admin' = any (account.roles) or account.disabled then
      perform service.require_other_admin(account.uid);
    end if;
    update service.users u
    set (email, display_name, photo_url, roles, email_verified, is_anonymous, disabled, metadata, updated_at)
      = (account.email, account.display_name, account.photo_url, account.roles, account.email_verified, account.is_anonymous,
        account.disabled, account.metadata, clock_timestamp())
    where u.uid = account.uid
      and (u.email, u.display_name, u.photo_url, u.roles, u.email_verified, u.is_anonymous, u.disabled, u.metadata)
        is distinct from (account.email, account.display_name, account.photo_url, account.roles, account.email_verified,
          account.is_anonymous, account.disabled, account.metadata);
  else
    insert into service.users
      (uid, email, display_name, photo_url, roles, email_verified, is_anonymous, disabled, metadata, created_at)
    values (account.uid, account.email, account.display_name, account.photo_url, account.roles, account.email_verified,
      account.is_anonymous, account.disabled, account.metadata, account.created_at);
    perform service.after_user_create(account);
  end if;
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service.keep_account(service.users) is
  'Makes an account what the row of the auth collection says (account), or makes it where there is none; created_at counts for a new one. '
  'What else service.users has stays. Called by the generated trigger of that collection. GW400 INVALID_INPUT, GW409 '
  'EMAIL_EXISTS, GW403 LAST_ADMIN.';

revoke all on function service.keep_account(service.users) from public;
