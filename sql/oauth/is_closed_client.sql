create or replace function service_private.is_closed_client(client_id text) returns boolean
  language sql stable
begin atomic
  select exists (select from service.oauth_clients c where c.client_id = is_closed_client.client_id and c.closed_at is not null);
end;

comment on function service_private.is_closed_client(text) is 'Whether no account may let the client in (service.close_oauth_client).';
