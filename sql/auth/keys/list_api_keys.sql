create or replace function service.list_api_keys() returns json
  language sql stable set jit = off
begin atomic
  select coalesce(json_agg(service.api_key_json(k) order by k.created_at desc, k.id), '[]') from service.api_keys k;
end;

comment on function service.list_api_keys() is 'Every API key as service.api_key_json, the newest first, revoked ones too.';

revoke all on function service.list_api_keys() from public;
