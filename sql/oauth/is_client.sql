create or replace function service_private.is_client(client_id text, secret_hash bytea) returns boolean
  language sql stable
begin atomic
  select c.secret_hash is not distinct from is_client.secret_hash from service.oauth_clients c where c.client_id = is_client.client_id;
end;

comment on function service_private.is_client(text, bytea) is
  'Whether the secret (SHA-256; null for none) is that of the client. A public client has none. Null where there is no such client.';
