create or replace function service_private.update_account(
  uid text, email text default null, display_name text default null, roles text[] default null, disabled boolean default null,
  password_hash text default null, rank jsonb default 'null') returns json
  language plpgsql volatile as $$
begin
  perform service_private.managed_account(uid);
  perform service_private.require_rank(uid, update_account.roles, rank);
  if not 'admin' = any (update_account.roles) or update_account.disabled then
    perform service_private.require_other_admin(uid);
  end if;
  update service.users u set
    email = case when update_account.email is null then u.email else service_private.require_email(update_account.email) end,
    display_name = coalesce(update_account.display_name, u.display_name),
    roles = coalesce(update_account.roles, u.roles),
    disabled = coalesce(update_account.disabled, u.disabled),
    password_hash = coalesce(update_account.password_hash, u.password_hash),
    password_proven = u.password_proven or update_account.password_hash is not null,
    updated_at = clock_timestamp()
  where u.uid = update_account.uid;
  if update_account.password_hash is not null then
    perform service.end_all_sessions(uid);
  end if;
  return service_private.managed_account(uid);
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service_private.update_account(text, text, text, text[], boolean, text, jsonb) is
  'Changes an account as its managers may; null leaves a part as it is. A new password ends every session. rank: of the manager, as '
  'service_private.beyond_rank has it. service_private.managed_account_json. GW404 USER_NOT_FOUND, GW400 INVALID_INPUT, GW409 '
  'EMAIL_EXISTS, GW403 LAST_ADMIN, and the errors of service_private.require_rank.';
