create or replace function service_private.link_guest(uid text, email text, password_hash text) returns void
  language plpgsql volatile as $$
declare
  account service.users;
begin
  select u.* into account from service.users u where u.uid = link_guest.uid and u.is_anonymous for update;
  if account.uid is null then
    perform service.fail(400, 'NOT_ANONYMOUS', 'Only a guest can be turned into an account.');
  end if;
  account.email := service_private.require_email(link_guest.email);
  account.is_anonymous := false;
  account := service_private.before_user_create(account);
  update service.users u set email = account.email, password_hash = link_guest.password_hash, is_anonymous = false,
    display_name = account.display_name, photo_url = account.photo_url, metadata = account.metadata, roles = account.roles,
    updated_at = clock_timestamp()
  where u.uid = account.uid;
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service_private.link_guest(text, text, text) is
  'Turns the account of a guest into one with an address and a password, as service_private.before_user_create has it. GW400 '
  'NOT_ANONYMOUS, INVALID_INPUT, GW409 EMAIL_EXISTS.';
