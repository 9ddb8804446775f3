create or replace function service_private.registered_client(client_id text) returns jsonb
  language sql stable
begin atomic
  select jsonb_build_object('name', c.client_name, 'redirectUris', c.redirect_uris)
  from service.oauth_clients c
  where c.client_id = registered_client.client_id and c.is_registered;
end;

comment on function service_private.registered_client(text) is 'A registered client: {name, redirectUris}; null where there is none.';
