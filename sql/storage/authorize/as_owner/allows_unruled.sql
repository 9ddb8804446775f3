create or replace function service_private.allows_unruled(operation text) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select a.authorizer is null and not a.has_policies and (service.uid() <> 'anonymous' or allows_unruled.operation = any (a.open_for))
    from service.storage_access a);
end $$;

comment on function service_private.allows_unruled(text) is
  'Whether there are no rules about files and the caller who entered may read or list them.';

grant execute on function service_private.allows_unruled(text) to service_user;
