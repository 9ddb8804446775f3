-- The lock makes the count exact: registrations are few.
create or replace function service_private.register_client(
  client_id text, secret_hash bytea, client_name text, redirect_uris text[], grant_types text[], scope text, most integer) returns boolean
  language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(7261947, 5);
  if (select count(*) from service.oauth_clients c where c.is_registered) >= most then
    return false;
  end if;
  insert into service.oauth_clients (client_id, is_registered, secret_hash, client_name, redirect_uris, grant_types, scope)
  values (register_client.client_id, true, register_client.secret_hash, register_client.client_name, register_client.redirect_uris,
    register_client.grant_types, register_client.scope);
  return true;
end $$;

comment on function service_private.register_client(text, bytea, text, text[], text[], text, integer) is
  'Keeps a client that registers. secret_hash: SHA-256, null for a public client. False, and nothing is kept, where so many (most) are '
  'registered already.';
