-- An account that already is as its row says is neither judged nor written again: it may have changed the row itself.
create or replace function service_private.keep_account(account service.users) returns void
  language plpgsql volatile as $$
declare
  stored service.users;
begin
  account.email := service_private.require_email(account.email);
  select u.* into stored from service.users u where u.uid = account.uid;
  if stored.uid is not null then
    if (stored.email, stored.display_name, stored.photo_url, stored.roles, stored.email_verified, stored.is_anonymous, stored.disabled,
        stored.metadata)
      is not distinct from (account.email, account.display_name, account.photo_url, account.roles, account.email_verified,
        account.is_anonymous, account.disabled, account.metadata)
    then
      return;
    end if;
    perform service_private.require_key_rank(account.uid, account.roles);
    if not 'admin' = any (account.roles) or account.disabled then
      perform service_private.require_other_admin(account.uid);
    end if;
    update service.users u
    set (email, display_name, photo_url, roles, email_verified, is_anonymous, disabled, metadata, updated_at)
      = (account.email, account.display_name, account.photo_url, account.roles, account.email_verified, account.is_anonymous,
        account.disabled, account.metadata, clock_timestamp())
    where u.uid = account.uid;
  else
    insert into service.users
      (uid, email, display_name, photo_url, roles, email_verified, is_anonymous, disabled, metadata, created_at)
    values (account.uid, account.email, account.display_name, account.photo_url, account.roles, account.email_verified,
      account.is_anonymous, account.disabled, account.metadata, account.created_at);
    perform service_private.after_user_create(account);
  end if;
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service_private.keep_account(service.users) is
  'Brings an account in line with its row in the auth collection (account), or creates it; created_at counts for a new one. Other columns '
  'of service.users stay. Called by the generated trigger of that collection. GW400 INVALID_INPUT, GW409 EMAIL_EXISTS, GW403 LAST_ADMIN, '
  'and the errors of service_private.require_key_rank.';
