create or replace function service_private.create_api_key(
  name text, key_hash bytea, key_prefix text, scopes text[], created_by text, roles text[] default '{}', rate_limit integer default null,
  expires_at timestamptz default null) returns json
  language plpgsql volatile as $$
declare
  made service.api_keys;
begin
  insert into service.api_keys (name, key_hash, key_prefix, scopes, roles, rate_limit, created_by, expires_at)
  values (create_api_key.name, create_api_key.key_hash, create_api_key.key_prefix, create_api_key.scopes, create_api_key.roles,
    create_api_key.rate_limit, create_api_key.created_by, create_api_key.expires_at)
  returning * into made;
  return service_private.api_key_json(made);
end $$;

comment on function service_private.create_api_key(text, bytea, text, text[], text, text[], integer, timestamptz) is
  'Creates an API key: SHA-256 of rk_live_ and 32 hexadecimal digits, and the first 12 characters of it. The gateway has checked its '
  'scopes. service_private.api_key_json.';
