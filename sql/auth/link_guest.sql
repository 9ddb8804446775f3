create or replace function service.link_guest(uid text, email text, password_hash text) returns void
  language plpgsql volatile as $$
begin
  update service.users u set email = service.normal_email(link_guest.email), password_hash = link_guest.password_hash,
    is_anonymous = false, updated_at = clock_timestamp()
  where u.uid = link_guest.uid and u.is_anonymous;
  if not found then
    perform service.fail(400, 'NOT_ANONYMOUS', 'Only a guest can be turned into an account.');
  end if;
exception when unique_violation then
  perform service.fail(409, 'EMAIL_EXISTS', 'An account with this address exists already.');
end $$;

comment on function service.link_guest(text, text, text) is
  'Turns the account of a guest into one with an address and a password. GW400 NOT_ANONYMOUS, GW409 EMAIL_EXISTS.';

revoke all on function service.link_guest(text, text, text) from public;
