create or replace function service_private.passkey_for_sign_in(id text)
  returns table (uid text, public_key bytea, counter bigint, handle bytea)
  language sql stable
begin atomic
  select p.uid, p.public_key, p.counter, h.handle
  from service.passkeys p
  join service.passkey_users h on h.uid = p.uid
  where p.id = passkey_for_sign_in.id;
end;

comment on function service_private.passkey_for_sign_in(text) is
  'The facts by which a signature of this passkey is judged. handle: the account, as authenticators know it.';
