create or replace function service_private.api_key_standing(key_hash bytea) returns jsonb
  language plpgsql stable as $$
declare
  key service.api_keys;
begin
  select k.* into key from service.api_keys k where k.key_hash = api_key_standing.key_hash;
  if key.id is null then
    perform service.fail(401, 'UNAUTHORIZED', 'The API key is not known.');
  elsif key.revoked_at is not null then
    perform service.fail(401, 'UNAUTHORIZED', 'The API key is revoked.');
  elsif key.expires_at <= clock_timestamp() then
    perform service.fail(401, 'UNAUTHORIZED', 'The API key has expired.');
  end if;
  return jsonb_build_object('id', key.id, 'uid', key.uid, 'scopes', key.scopes, 'roles', key.roles, 'rateLimit', key.rate_limit,
    'expiresAt', floor(1000 * extract(epoch from key.expires_at)));
end $$;

comment on function service_private.api_key_standing(bytea) is
  'The current standing of an API key (SHA-256 of it): {id, uid, scopes, roles, rateLimit, expiresAt (milliseconds since the epoch, or '
  'null)}. GW401 UNAUTHORIZED for one that is unknown, revoked or expired.';
