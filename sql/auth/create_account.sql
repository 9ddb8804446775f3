create or replace function service.create_account(
  email text, password_hash text, display_name text, roles text[], is_verified boolean default false,
  uid text default null) returns text
  language plpgsql volatile as $$
declare
  made text;
begin
  insert into service.users (uid, email, password_hash, display_name, roles, email_verified, password_proven)
  values (coalesce(create_account.uid, gen_random_uuid()::text), service.normal_email(create_account.email), create_account.password_hash,
    create_account.display_name, create_account.roles, is_verified, is_verified)
  on conflict do nothing
  returning service.users.uid into made;
  if made is null then
    perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address, or this uid, exists already.');
  end if;
  return made;
end $$;

comment on function service.create_account(text, text, text, text[], boolean, text) is
  'Makes an account and returns its uid. is_verified: the address is known to be this person''s; uid: the one that they '
  'have elsewhere. GW409 EMAIL_EXISTS, of a uid that is taken as well.';

revoke all on function service.create_account(text, text, text, text[], boolean, text) from public;
