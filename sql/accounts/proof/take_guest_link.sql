-- The token becomes a verification link of the account that it makes: following it again is what following such a link again is.
create or replace function service_private.take_guest_link(token_hash bytea, session_uid text) returns void
  language plpgsql volatile as $$
declare
  account service.users := service_private.account_of_token(token_hash);
  token service.one_time_tokens;
begin
  select t.* into token
  from service.one_time_tokens t
  where t.token_hash = take_guest_link.token_hash and t.purpose = 'guest-link' and t.used_at is null and t.expires_at > clock_timestamp()
    and service_private.is_current(t, account);
  if token.uid is null then
    return;
  end if;
  perform service_private.link_guest(token.uid, token.new_address, token.password_hash);
  if token.uid is distinct from session_uid then
    perform service.end_all_sessions(token.uid);
  end if;
  select u.* into account from service.users u where u.uid = token.uid;
  update service.one_time_tokens t set purpose = 'verification', address = account.email, generation = account.tokens_valid_after,
    new_address = null, password_hash = null, session_id = null
  where t.token_hash = token.token_hash;
end $$;

comment on function service_private.take_guest_link(bytea, text) is
  'Turns a guest into the account that was asked for in service_private.begin_guest_link, by the link that was mailed (SHA-256 of its '
  'token); any other token changes nothing. Outside a session of the guest (session_uid) every session ends. Refuses as '
  'service_private.link_guest.';
