create or replace function service_private.api_key(id text) returns json
  language plpgsql stable as $$
declare
  found json := (select service_private.api_key_json(k) from service.api_keys k where k.id = service_private.as_uuid(api_key.id));
begin
  if found is null then
    perform service.fail(404, 'NOT_FOUND', 'There is no API key with this id.');
  end if;
  return found;
end $$;

comment on function service_private.api_key(text) is 'service_private.api_key_json of an API key, a revoked one too. GW404 NOT_FOUND.';
