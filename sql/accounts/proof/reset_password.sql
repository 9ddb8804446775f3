create or replace function service_private.reset_password(token_hash bytea, password_hash text, unlinks boolean default true) returns text
  language plpgsql volatile as $$
declare
  owner constant text := (service_private.redeem_token(token_hash, '{password-reset,invitation}')).uid;
begin
  perform service_private.prove_address(owner, unlinks => reset_password.unlinks);
  update service.users u set password_hash = reset_password.password_hash, password_proven = true, updated_at = clock_timestamp()
  where u.uid = owner;
  perform service.end_all_sessions(owner);
  return owner;
end $$;

comment on function service_private.reset_password(bytea, text, boolean) is
  'Sets the password of the account that a mailed link (SHA-256 of its token) belongs to, which proves its address and ends every '
  'session. The uid. Refuses as service_private.redeem_token and '
  'service_private.remove_unproven_identities (unlinks).';
