create or replace function service_private.list_api_keys() returns json
  language sql stable set jit = off
begin atomic
  select coalesce(json_agg(service_private.api_key_json(k) order by k.created_at desc, k.id), '[]') from service.api_keys k;
end;

comment on function service_private.list_api_keys() is 'Every API key as service_private.api_key_json, the newest first, revoked ones too.';
