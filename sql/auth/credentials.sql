create or replace function service.credentials(email text)
  returns table (uid text, password_hash text)
  language sql stable
begin atomic
  select u.uid, u.password_hash from service.users u where u.email = service.normal_email(credentials.email) and not u.is_anonymous;
end;

comment on function service.credentials(text) is
  'The account of an address and the hash of its password (null without one). No row for an address that nobody has.';

revoke all on function service.credentials(text) from public;
