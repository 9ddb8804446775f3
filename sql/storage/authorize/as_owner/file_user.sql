create or replace function service_private.file_user() returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return case when service.uid() <> 'anonymous' then jsonb_strip_nulls(jsonb_build_object(
    'uid', service.uid(),
    'email', (select u.email from service.users u where u.uid = service.uid()),
    'roles', string_to_array(service.roles(), ','))) end;
end $$;

comment on function service_private.file_user() is
  'The caller as functions about files see it: {uid, email, roles}; without an email where there is none; null for an anonymous caller.';

grant execute on function service_private.file_user() to service_user;
