create or replace function service.key_scopes() returns jsonb
  language sql stable parallel safe
  return case when service.uid() like 'api-key:%' then coalesce(service.jwt() -> 'scopes', '[]') end;

comment on function service.key_scopes() is 'The scopes of the API key that makes the request; null for any other caller.';

revoke all on function service.key_scopes() from public;
grant execute on function service.key_scopes() to service_user;
