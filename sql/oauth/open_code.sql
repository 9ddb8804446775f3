-- The account is locked as a changed password locks it: either this waits for that, or is seen by it. All functions of the
-- OAuth server lock in one order, so that no two wait for each other: account, client, consent, code, family, refresh token.
create or replace function service_private.open_code(
  request_id uuid, request_expires_at timestamptz, uid text, session jsonb, client jsonb, request jsonb, code_hash bytea, lifetime interval)
  returns text
  language plpgsql volatile as $$
declare
  account service.users;
  signed_in_at timestamptz;
begin
  if not service_private.take_oauth_request(request_id, request_expires_at) then
    return 'answered';
  end if;
  select u.* into account from service.users u where u.uid = open_code.uid for share;
  if account.uid is null or account.disabled or account.is_anonymous then
    return 'refused';
  end if;
  select s.started_at into signed_in_at from service.sessions s
  where s.id = service_private.as_uuid(session ->> 'id') and s.uid = account.uid;
  if coalesce(signed_in_at, '-infinity') < to_timestamp((request ->> 'signedInAfter')::numeric) then
    return 'stale';
  end if;
  if client ->> 'document' = 'true' then
    insert into service.oauth_clients as c (client_id, is_registered, client_name, redirect_uris, grant_types, scope)
    values (client ->> 'id', false, client ->> 'name', array(select jsonb_array_elements_text(client -> 'redirectUris')),
      '{authorization_code,refresh_token}', request ->> 'scope')
    on conflict on constraint oauth_clients_pkey do update
    set client_name = excluded.client_name, redirect_uris = excluded.redirect_uris;
  end if;
  update service.oauth_clients c set approved_at = coalesce(c.approved_at, clock_timestamp())
  where c.client_id = client ->> 'id' and c.closed_at is null;
  if not found then
    return 'refused';
  end if;
  insert into service.oauth_consents as s (uid, client_id, scope) values (account.uid, client ->> 'id', request ->> 'scope')
  on conflict on constraint oauth_consents_pkey do update set scope = excluded.scope, granted_at = excluded.granted_at;
  insert into service.oauth_codes (code_hash, client_id, uid, redirect_uri, code_challenge, scope, resource, aal, signed_in_at, nonce,
    expires_at)
  values (open_code.code_hash, client ->> 'id', account.uid, request ->> 'redirectUri', request ->> 'codeChallenge', request ->> 'scope',
    request ->> 'resource', coalesce(session ->> 'aal', 'aal1'), signed_in_at, request ->> 'nonce', clock_timestamp() + lifetime);
  return 'opened';
end $$;

comment on function service_private.open_code(uuid, timestamptz, text, jsonb, jsonb, jsonb, bytea, interval) is
  'Lets a client in for an account: takes the request token, keeps the consent, and a code (SHA-256 of it). session: {id, aal}, which lets '
  'it in; client: {id, name, redirectUris, document: whether it is known by its metadata document}; request: {redirectUri, codeChallenge, '
  'scope, resource, nonce, signedInAfter: seconds}. opened; answered where the request token was taken before; refused where the account '
  'is gone, disabled or a guest, or the client is gone or closed; stale where the session began before signedInAfter, or its begin is not '
  'known: the request token is taken then.';
