create or replace function service_private.credentials(email text)
  returns table (uid text, password_hash text, must_confirm boolean, may_remind boolean)
  language plpgsql volatile as $$
begin
  perform service_private.before_login(email, 'login');
  return query
  select u.uid, u.password_hash, not u.email_verified, service_private.may_remind(u.uid)
  from service.users u
  where u.email = service_private.normal_email(credentials.email) and not u.is_anonymous;
end $$;

comment on function service_private.credentials(text) is
  'The account of an address for a sign-in by password, and its hash (null without one); must_confirm: the address is not verified; '
  'may_remind: no verification was mailed within a minute. No row for an unknown address. Refuses as service.before_login.';
