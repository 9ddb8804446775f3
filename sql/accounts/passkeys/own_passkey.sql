create or replace function service_private.own_passkey(uid text, session_id text, id text) returns service.passkeys
  language plpgsql volatile as $$
declare
  account constant service.users := service_private.guarded_account(uid, session_id);
  passkey service.passkeys;
begin
  select p.* into passkey from service.passkeys p where p.uid = account.uid and p.id = own_passkey.id;
  if passkey.id is null then
    perform service.fail(404, 'NOT_FOUND', 'This account has no such passkey.');
  end if;
  return passkey;
end $$;

comment on function service_private.own_passkey(text, text, text) is
  'The passkey of the account of this session, which is locked. GW404 NOT_FOUND. Refuses as service_private.guarded_account.';
