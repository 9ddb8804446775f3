create or replace function service_private.revoke_api_key(id text) returns void
  language plpgsql volatile as $$
begin
  update service.api_keys k set revoked_at = clock_timestamp(), updated_at = clock_timestamp()
  where k.id = service_private.as_uuid(revoke_api_key.id) and k.revoked_at is null;
  if not found then
    perform service.fail(404, 'NOT_FOUND', 'There is no API key with this id, or it is revoked already.');
  end if;
end $$;

comment on function service_private.revoke_api_key(text) is 'Ends an API key for good. GW404 NOT_FOUND, of a revoked one too.';
