create or replace function service_private.add_passkey(
  uid text, session_id text, id text, public_key bytea, counter bigint, transports text[], is_backed_up boolean,
  friendly_name text default null) returns json
  language plpgsql volatile as $$
declare
  account constant service.users := service_private.guarded_account(uid, session_id);
  made service.passkeys;
begin
  insert into service.passkeys (id, uid, public_key, counter, transports, is_backed_up, friendly_name, is_proven)
  values (add_passkey.id, account.uid, add_passkey.public_key, add_passkey.counter, add_passkey.transports, add_passkey.is_backed_up,
    add_passkey.friendly_name, not service_private.has_unproven(account))
  on conflict do nothing
  returning * into made;
  if made.id is null then
    perform service.fail(409, 'CONFLICT', 'This passkey belongs to an account already.');
  end if;
  return service_private.passkey_json(made);
end $$;

comment on function service_private.add_passkey(text, text, text, bytea, bigint, text[], boolean, text) is
  'Adds a passkey to an account, with the public key of its credential (COSE): service_private.passkey_json. GW409 CONFLICT where any '
  'account has it. Refuses as service_private.guarded_account.';
