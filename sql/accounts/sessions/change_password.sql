create or replace function service_private.change_password(uid text, verified_hash text, password_hash text) returns void
  language plpgsql volatile as $$
begin
  update service.users u set password_hash = change_password.password_hash, updated_at = clock_timestamp()
  where u.uid = change_password.uid and u.password_hash = verified_hash;
  if not found then
    perform service.fail(401, 'INVALID_CREDENTIALS', 'The password is wrong.');
  end if;
  perform service.end_all_sessions(uid);
end $$;

comment on function service_private.change_password(text, text, text) is
  'Replaces a password by another and ends every session of the account. verified_hash: the hash that the old one was verified against. '
  'GW401 INVALID_CREDENTIALS when it is no longer the account''s.';
