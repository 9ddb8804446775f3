create or replace function service_private.revoke_family(refresh_hash bytea, client_id text) returns text
  language sql volatile
begin atomic
  update service.oauth_families f
  set revoked_at = coalesce(f.revoked_at, clock_timestamp()),
    revoked_reason = case when f.revoked_at is null then 'Its client revoked it.' else f.revoked_reason end
  from service.oauth_refresh_tokens t
  where t.token_hash = refresh_hash and f.id = t.family_id and f.client_id = revoke_family.client_id
  returning f.uid;
end;

comment on function service_private.revoke_family(bytea, text) is
  'Revokes the family of a refresh token (SHA-256 of it) of this client, and with it its access tokens. The uid of its account; null where '
  'the client has no such token.';
