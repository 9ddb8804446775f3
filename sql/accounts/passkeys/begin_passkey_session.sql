-- The account is locked first, as where a passkey is removed: two that lock in another order wait for each other.
-- The counter is judged again under the row's lock: an assertion that comes twice at once has another challenge, and the same counter.
create or replace function service_private.begin_passkey_session(
  id text, counter bigint, is_backed_up boolean, refresh_hash bytea, lifetime interval, user_agent text, ip_address text) returns json
  language plpgsql volatile as $$
declare
  owner text;
begin
  perform from service.users u where u.uid = (select p.uid from service.passkeys p where p.id = begin_passkey_session.id) for share;
  update service.passkeys p
  set counter = begin_passkey_session.counter, is_backed_up = begin_passkey_session.is_backed_up, last_used_at = clock_timestamp()
  where p.id = begin_passkey_session.id
    and (begin_passkey_session.counter > p.counter or (begin_passkey_session.counter = 0 and p.counter = 0))
  returning p.uid into owner;
  return case when owner is not null
    then service_private.begin_session(owner, 'passkey', refresh_hash, lifetime, user_agent, ip_address, aal => 'aal2') end;
end $$;

comment on function service_private.begin_passkey_session(text, bigint, boolean, bytea, interval, text, text) is
  'Signs the account of a passkey in, whose signature was verified: as service_private.begin_session, at aal2. Null where the passkey is '
  'gone, or its counter went back, as that of a copy does.';
