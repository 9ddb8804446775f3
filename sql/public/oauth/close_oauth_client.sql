-- The client's row comes first: open_code, which locks it too, sees it closed or is over. Families come last: redeem_code, which locks the
-- consent, has made its family by then, or finds no consent.
create or replace function service.close_oauth_client(client_id text) returns boolean
  language plpgsql volatile as $$
begin
  if client_id ~ '^https?://' then
    insert into service.oauth_clients (client_id, is_registered, client_name, redirect_uris, grant_types, scope)
    values (close_oauth_client.client_id, false, left(close_oauth_client.client_id, 200), '{}', '{}', '')
    on conflict on constraint oauth_clients_pkey do nothing;
  end if;
  update service.oauth_clients c set closed_at = clock_timestamp() where c.client_id = close_oauth_client.client_id and c.closed_at is null;
  if not found then
    perform from service.oauth_clients c where c.client_id = close_oauth_client.client_id;
    if not found then
      perform service.fail(404, 'NOT_FOUND', format('There is no client %s.', client_id));
    end if;
    return false;
  end if;
  delete from service.oauth_consents s where s.client_id = close_oauth_client.client_id;
  delete from service.oauth_codes c where c.client_id = close_oauth_client.client_id and c.consumed_at is null;
  update service.oauth_families f set revoked_at = clock_timestamp(), revoked_reason = 'The client was closed.'
  where f.client_id = close_oauth_client.client_id and f.revoked_at is null;
  return true;
end $$;

comment on function service.close_oauth_client(text) is
  'Closes a client of the OAuth server for every account, at every gateway: its consents and tokens end at once, and no account can let it '
  'in, until service.reopen_oauth_client. The URL of a metadata document may be closed before any account lets it in. False where it is '
  'closed already. GW404 NOT_FOUND for another id that no client has.';

-- Example: select service.close_oauth_client('https://agent.example.com/client.json');
