create or replace function service_private.key_scopes() returns jsonb
  language sql stable parallel safe
  return case when service.uid() like 'api-key:%' then coalesce(service.jwt() -> 'scopes', '[]') end;

comment on function service_private.key_scopes() is 'The scopes of the API key that makes the request; null for any other caller.';

grant execute on function service_private.key_scopes() to service_user;
