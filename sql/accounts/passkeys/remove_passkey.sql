create or replace function service_private.remove_passkey(uid text, session_id text, id text) returns void
  language plpgsql volatile as $$
declare
  passkey constant service.passkeys := service_private.own_passkey(uid, session_id, id);
begin
  delete from service.passkeys p where p.id = passkey.id;
  perform service_private.require_way_in(passkey.uid);
end $$;

comment on function service_private.remove_passkey(text, text, text) is
  'A person takes a passkey from his account. Refuses as service_private.own_passkey, and where no way in is left.';
