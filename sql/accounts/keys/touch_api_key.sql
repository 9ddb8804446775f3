create or replace function service_private.touch_api_key(id uuid) returns void
  language sql volatile
begin atomic
  update service.api_keys k set last_used_at = clock_timestamp()
  where k.id = touch_api_key.id and (k.last_used_at < clock_timestamp() - interval '1 minute') is not false;
end;

comment on function service_private.touch_api_key(uuid) is 'An API key was used. Said once a minute.';
