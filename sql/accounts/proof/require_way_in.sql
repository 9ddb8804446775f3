create or replace function service_private.require_way_in(uid text) returns void
  language plpgsql stable as $$
begin
  if not exists (
    select from service.users u
    where u.uid = require_way_in.uid and (u.password_hash is not null
      or exists (select from service.user_identities i where i.uid = u.uid)
      or exists (select from service.passkeys p where p.uid = u.uid)))
  then
    perform service.fail(400, 'INVALID_ACCOUNT', 'This is the only way into the account: set a password or add another one first.');
  end if;
end $$;

comment on function service_private.require_way_in(text) is
  'GW400 INVALID_ACCOUNT where a person cannot sign in by what the account has: a password, identities, passkeys. Mailed links do not '
  'count.';
