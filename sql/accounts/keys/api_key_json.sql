create or replace function service_private.api_key_json(key service.api_keys) returns json
  language sql stable
begin atomic
  select json_build_object('id', key.id, 'name', key.name, 'kind', 'service', 'key_prefix', key.key_prefix, 'scopes', key.scopes,
    'roles', key.roles, 'owner_uid', null, 'rate_limit', key.rate_limit, 'created_by', key.created_by,
    'created_at', service_private.iso_time(key.created_at), 'updated_at', service_private.iso_time(key.updated_at),
    'last_used_at', service_private.iso_time(key.last_used_at), 'expires_at', service_private.iso_time(key.expires_at),
    'revoked_at', service_private.iso_time(key.revoked_at));
end;

comment on function service_private.api_key_json(service.api_keys) is
  'An API key as those see it who manage keys: {id, name, kind, key_prefix, scopes, roles, owner_uid, rate_limit, created_by, created_at, '
  'updated_at, last_used_at, expires_at, revoked_at}.';
