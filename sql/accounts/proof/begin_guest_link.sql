-- The token is kept for a taken address as well, and never mailed: what a guest sees of the account is the same.
create or replace function service_private.begin_guest_link(
  uid text, session_id text, new_email text, password_hash text, token_hash bytea, lifetime interval)
  returns table (email text, display_name text)
  language plpgsql volatile as $$
declare
  wanted constant text := service_private.require_email(new_email);
  recipient record;
begin
  if not exists (select from service.users u where u.uid = begin_guest_link.uid and u.is_anonymous) then
    perform service.fail(400, 'NOT_ANONYMOUS', 'Only a guest can be turned into an account.');
  end if;
  select r.email, r.display_name into recipient
  from service_private.issue_token(uid, 'guest-link', token_hash, lifetime, wanted, begin_guest_link.password_hash, session_id) r;
  return query
  select recipient.email, recipient.display_name
  where not exists (select from service.users u where u.email = wanted);
end $$;

comment on function service_private.begin_guest_link(text, text, text, text, bytea, interval) is
  'Keeps the address and the password that a guest is to have once the address is confirmed (service_private.take_guest_link), and returns '
  'the recipient of the link: no row when another account has the address. GW400 NOT_ANONYMOUS, INVALID_INPUT.';
