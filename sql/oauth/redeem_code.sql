-- A code is spent before it is judged: it can be tried once. A code that comes twice was stolen, from or by the client that used it
-- first (RFC 6749 section 4.1.2). It is read before it is locked: account and consent are locked first, as open_code says.
create or replace function service_private.redeem_code(
  code_hash bytea, client_id text, redirect_uri text, code_challenge text, resource text, refresh_hash bytea, lifetime interval)
  returns jsonb
  language plpgsql volatile as $$
declare
  code service.oauth_codes;
  account service.users;
  is_let_in boolean;
  family service.oauth_families;
  parts jsonb;
begin
  select c.* into code from service.oauth_codes c where c.code_hash = redeem_code.code_hash;
  select u.* into account from service.users u where u.uid = code.uid for share;
  perform from service.oauth_consents s where s.uid = code.uid and s.client_id = code.client_id for share;
  is_let_in := found and account.disabled is false;
  select c.* into code from service.oauth_codes c where c.code_hash = redeem_code.code_hash for update;
  if code.code_hash is null then
    return service_private.oauth_refusal('invalid_grant', 'The code is not known.');
  elsif code.consumed_at is not null then
    update service.oauth_families f set revoked_at = clock_timestamp(), revoked_reason = 'Its code was used twice.'
    where f.id = code.family_id and f.revoked_at is null;
    return service_private.oauth_refusal('invalid_grant', 'The code was used before. The tokens that it gave are revoked.');
  end if;
  update service.oauth_codes c set consumed_at = clock_timestamp() where c.code_hash = redeem_code.code_hash;
  if code.client_id <> redeem_code.client_id then
    return service_private.oauth_refusal('invalid_grant', 'The code was given to another client.');
  elsif code.expires_at < clock_timestamp() then
    return service_private.oauth_refusal('invalid_grant', 'The code has expired.');
  elsif code.redirect_uri is distinct from redeem_code.redirect_uri then
    return service_private.oauth_refusal('invalid_grant', 'redirect_uri is not the one that the code was asked for with.');
  elsif code.code_challenge is distinct from redeem_code.code_challenge then
    return service_private.oauth_refusal('invalid_grant', 'code_verifier does not fit the code_challenge.');
  elsif code.resource <> redeem_code.resource then
    return service_private.oauth_refusal('invalid_target', 'The code is for another resource.');
  end if;
  if not is_let_in or code.issued_at < account.tokens_valid_after then
    return service_private.oauth_refusal('invalid_grant', 'The account no longer lets the client in.');
  end if;
  family.id := code.family_id;
  family.client_id := code.client_id;
  family.aal := code.aal;
  family.signed_in_at := code.signed_in_at;
  family.scope := code.scope;
  begin
    parts := service_private.token_parts(account, family);
  exception when sqlstate 'GW403' then
    return service_private.oauth_refusal('invalid_grant', sqlerrm);
  end;
  insert into service.oauth_families (id, client_id, uid, scope, aal, signed_in_at, expires_at)
  values (code.family_id, code.client_id, code.uid, code.scope, code.aal, code.signed_in_at, clock_timestamp() + lifetime)
  returning * into family;
  insert into service.oauth_refresh_tokens (token_hash, family_id, expires_at) values (refresh_hash, family.id, family.expires_at);
  return parts || jsonb_build_object('nonce', code.nonce);
end $$;

comment on function service_private.redeem_code(bytea, text, text, text, text, bytea, interval) is
  'Exchanges a code (SHA-256 of it) of this client for a family with its first refresh token (SHA-256 of it, and how long it lives): '
  'service_private.token_parts, with {nonce}. code_challenge: S256 of the verifier; resource: null where none was named. Else '
  'service_private.oauth_refusal: the code is spent, and where it was spent before, its family is revoked.';
