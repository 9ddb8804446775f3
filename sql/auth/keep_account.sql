-- What already is so is not written again: it may be the account itself that has just changed the row.
create or replace function service.keep_account(
  uid text, email text, display_name text, photo_url text, roles text[], email_verified boolean, is_anonymous boolean,
  disabled boolean, metadata jsonb, created_at timestamptz) returns void
  language plpgsql volatile as $$
begin
  if exists (select from service.users u where u.uid = keep_account.uid) then
    if not 'admin' = any (keep_account.roles) or keep_account.disabled then
      perform service.require_other_admin(uid);
    end if;
    update service.users u
    set (email, display_name, photo_url, roles, email_verified, is_anonymous, disabled, metadata, updated_at)
      = (keep_account.email, keep_account.display_name, keep_account.photo_url, keep_account.roles, keep_account.email_verified,
        keep_account.is_anonymous, keep_account.disabled, keep_account.metadata, clock_timestamp())
    where u.uid = keep_account.uid
      and (u.email, u.display_name, u.photo_url, u.roles, u.email_verified, u.is_anonymous, u.disabled, u.metadata)
        is distinct from (keep_account.email, keep_account.display_name, keep_account.photo_url, keep_account.roles,
          keep_account.email_verified, keep_account.is_anonymous, keep_account.disabled, keep_account.metadata);
  else
    insert into service.users
      (uid, email, display_name, photo_url, roles, email_verified, is_anonymous, disabled, metadata, created_at)
    values (keep_account.uid, keep_account.email, keep_account.display_name, keep_account.photo_url, keep_account.roles,
      keep_account.email_verified, keep_account.is_anonymous, keep_account.disabled, keep_account.metadata, keep_account.created_at);
  end if;
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service.keep_account(text, text, text, text, text[], boolean, boolean, boolean, jsonb, timestamptz) is
  'Makes an account what the row of the auth collection says, or makes it where there is none; created_at counts for a new one. Called by '
  'the generated trigger of that collection. GW409 EMAIL_EXISTS, GW403 LAST_ADMIN.';

revoke all on function service.keep_account(text, text, text, text, text[], boolean, boolean, boolean, jsonb, timestamptz) from public;
