create or replace function service_private.is_client(client_id text, secret_hash bytea) returns boolean
  language sql stable
begin atomic
  select exists (
    select from service.oauth_clients c
    where c.client_id = is_client.client_id and c.secret_hash is not distinct from is_client.secret_hash);
end;

comment on function service_private.is_client(text, bytea) is
  'Whether there is this client, and the secret (SHA-256; null for none) is its own. A public client has none.';
