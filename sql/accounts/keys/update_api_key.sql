create or replace function service_private.update_api_key(id text, changes jsonb) returns json
  language plpgsql volatile as $$
declare
  changed service.api_keys;
begin
  update service.api_keys k set name = n.name, scopes = n.scopes, roles = n.roles, rate_limit = n.rate_limit, expires_at = n.expires_at,
    updated_at = clock_timestamp()
  from service.api_keys was
  cross join lateral jsonb_populate_record(was, changes) n
  where was.id = service_private.as_uuid(update_api_key.id) and k.id = was.id and was.revoked_at is null
  returning k.* into changed;
  if changed.id is null then
    perform service.fail(404, 'NOT_FOUND', 'There is no API key with this id, or it is revoked.');
  end if;
  return service_private.api_key_json(changed);
end $$;

comment on function service_private.update_api_key(text, jsonb) is
  'Changes of an API key what changes names: {name, scopes, roles, rate_limit, expires_at}. service_private.api_key_json. GW404 NOT_FOUND, '
  'of a revoked one too.';
