-- The switch that closes registration closes it for every caller. Outside production the first account may register
-- all the same, or there could never be one.
create or replace function service_private.may_register(open boolean, closed boolean, production boolean) returns boolean
  language plpgsql stable as $$
declare
  is_first constant boolean := not service_private.has_people();
begin
  if closed or not (open or is_first) then
    perform service.fail(403, 'REGISTRATION_DISABLED', 'Registration is closed.');
  elsif is_first and production and not open then
    perform service.fail(403, 'SETUP_REQUIRED',
      'There is no account yet, and registration is closed: set SERVICE_ADMIN_EMAIL and SERVICE_ADMIN_PASSWORD, or use the service key.');
  end if;
  return is_first and not production;
end $$;

comment on function service_private.may_register(boolean, boolean, boolean) is
  'Whether the next registration becomes the first admin; GW403 REGISTRATION_DISABLED or SETUP_REQUIRED where registration is closed. '
  'open: ALLOW_REGISTRATION; closed: DISABLE_SELF_REGISTRATION, which has priority.';
