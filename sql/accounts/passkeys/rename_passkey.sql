create or replace function service_private.rename_passkey(uid text, session_id text, id text, friendly_name text) returns json
  language plpgsql volatile as $$
declare
  passkey service.passkeys := service_private.own_passkey(uid, session_id, id);
begin
  update service.passkeys p set friendly_name = rename_passkey.friendly_name where p.id = passkey.id returning * into passkey;
  return service_private.passkey_json(passkey);
end $$;

comment on function service_private.rename_passkey(text, text, text, text) is
  'Gives a passkey a name: service_private.passkey_json. Refuses as service_private.own_passkey.';
