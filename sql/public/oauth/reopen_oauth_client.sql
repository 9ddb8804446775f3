create or replace function service.reopen_oauth_client(client_id text) returns boolean
  language plpgsql volatile as $$
begin
  update service.oauth_clients c set closed_at = null where c.client_id = reopen_oauth_client.client_id and c.closed_at is not null;
  return found;
end $$;

comment on function service.reopen_oauth_client(text) is
  'Lets accounts let a client in again that service.close_oauth_client closed. Its tokens of before stay ended. False where it is not '
  'closed.';

-- Example: select service.reopen_oauth_client(client_id) from service.oauth_client_overview where closed_at is not null;
