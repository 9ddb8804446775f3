-- The second of two requests with one token waits for the first, and then falls within the window, in which it gets a
-- token of its own: a client whose answer was lost, or with two tabs, stays signed in. A later reuse may be a thief's,
-- and is refused; the session stays, because a slow client cannot be told from a thief.
create or replace function service_private.refresh_session(
  refresh_hash bytea, next_hash bytea, lifetime interval, reuse_window interval) returns json
  language plpgsql volatile as $$
declare
  held service.refresh_tokens;
  session service.sessions;
  account service.users;
  moment timestamptz;
begin
  select t.* into held from service.refresh_tokens t where t.token_hash = refresh_hash for update;
  select s.* into session from service.sessions s where s.id = held.session_id for update;
  select u.* into account from service.users u where u.uid = session.uid for share;
  moment := clock_timestamp();
  if account.uid is null then
    perform service.fail(401, 'INVALID_TOKEN', 'The refresh token is not known.');
  elsif session.revoked_at is not null or account.disabled or session.started_at < account.tokens_valid_after then
    perform service.fail(401, 'SESSION_REVOKED', 'The session was ended.');
  elsif held.expires_at < moment then
    perform service.fail(401, 'TOKEN_EXPIRED', 'The refresh token has expired.');
  elsif held.rotated_at + reuse_window < moment then
    perform service.fail(401, 'TOKEN_ALREADY_USED', 'The refresh token was used already.');
  end if;
  update service.refresh_tokens t set rotated_at = coalesce(t.rotated_at, moment) where t.token_hash = refresh_hash;
  delete from service.refresh_tokens t where t.session_id = session.id and t.expires_at < moment;
  insert into service.refresh_tokens (token_hash, session_id, expires_at) values (next_hash, session.id, moment + lifetime);
  update service.sessions s set last_used_at = moment, expires_at = moment + lifetime where s.id = session.id;
  -- A refresh returns providerId password for every session; /auth/me (service_private.account) returns the real one.
  session.method := 'password';
  return service_private.session_json(account, session);
end $$;

comment on function service_private.refresh_session(bytea, bytea, interval, interval) is
  'Exchanges a refresh token (SHA-256 hashes of it and of its successor): {user, session}, as service_private.session_json. GW401 '
  'INVALID_TOKEN of an unknown one, SESSION_REVOKED, TOKEN_EXPIRED, and TOKEN_ALREADY_USED of one that was exchanged longer than '
  'reuse_window ago.';
