-- Every check comes before the token is spent, so that a refused request leaves it usable. Two requests with one token wait for each
-- other at the row of its family; the second is a reuse. Both rows are read before they are locked, as in redeem_code.
create or replace function service_private.rotate_token(
  refresh_hash bytea, client_id text, asked text[], next_hash bytea, lifetime interval) returns jsonb
  language plpgsql volatile as $$
declare
  held service.oauth_refresh_tokens;
  family service.oauth_families;
  account service.users;
  scopes text[];
  parts jsonb;
begin
  select f.* into family from service.oauth_refresh_tokens t join service.oauth_families f on f.id = t.family_id
  where t.token_hash = refresh_hash;
  select u.* into account from service.users u where u.uid = family.uid for share;
  select f.* into family from service.oauth_families f where f.id = family.id for update;
  select t.* into held from service.oauth_refresh_tokens t where t.token_hash = refresh_hash for update;
  if account.uid is null or held.token_hash is null then
    return service_private.oauth_refusal('invalid_grant', 'The refresh token is not known.');
  elsif family.revoked_at is not null then
    return service_private.oauth_refusal('invalid_grant', 'The refresh token was revoked.');
  elsif family.client_id <> rotate_token.client_id or held.consumed_at is not null
    or held.issued_at < account.tokens_valid_after then
    update service.oauth_families f
    set revoked_at = clock_timestamp(),
      revoked_reason = case
        when family.client_id <> rotate_token.client_id then 'Another client sent its refresh token.'
        when held.consumed_at is not null then 'A refresh token was used twice.'
        else 'The password was changed, or all sessions were ended.'
      end
    where f.id = family.id;
    return service_private.oauth_refusal('invalid_grant', 'The refresh token was used before, or is another client''s, or the password '
      'was changed since. It is revoked, with all that came from the same consent.');
  elsif held.expires_at < clock_timestamp() then
    return service_private.oauth_refusal('invalid_grant', 'The refresh token has expired.');
  elsif account.disabled then
    return service_private.oauth_refusal('invalid_grant', 'The account is disabled.');
  end if;
  scopes := service_private.narrowed_scopes(string_to_array(family.scope, ' '), asked);
  if scopes = '{}' then
    return service_private.oauth_refusal('invalid_scope', 'The consent covers none of these scopes.');
  end if;
  family.scope := array_to_string(scopes, ' ');
  parts := service_private.token_parts(account, family);
  update service.oauth_refresh_tokens t set consumed_at = clock_timestamp() where t.token_hash = refresh_hash;
  update service.oauth_families f set scope = family.scope, expires_at = clock_timestamp() + lifetime where f.id = family.id
  returning * into family;
  insert into service.oauth_refresh_tokens (token_hash, family_id, expires_at) values (next_hash, family.id, family.expires_at);
  return parts;
end $$;

comment on function service_private.rotate_token(bytea, text, text[], bytea, interval) is
  'Exchanges a refresh token of this client for the next one (SHA-256 hashes of both): service_private.token_parts. asked: the scopes to '
  'keep from then on, null for all. Else service_private.oauth_refusal; the token stays usable, or its family is revoked: where it was '
  'spent before, is another client''s, or older than the account''s tokens_valid_after. GW403 FORBIDDEN by the hook customize_claims.';
