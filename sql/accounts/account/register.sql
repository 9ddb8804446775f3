-- Concurrent first registrations wait for each other, so that one of them is the first.
create or replace function service_private.register(
  email text, password_hash text, display_name text, default_role text, open boolean, closed boolean, production boolean,
  is_verified boolean default false, photo_url text default null) returns text
  language plpgsql volatile as $$
declare
  is_first boolean := service_private.may_register(open, closed, production);
begin
  if is_first then
    perform pg_advisory_xact_lock(hashtextextended('service_private.register', 0));
    is_first := service_private.may_register(open, closed, production);
  end if;
  return service_private.create_account(email, password_hash, display_name,
    array_remove(array[default_role, case when is_first then 'admin' end], null), is_verified, photo_url => register.photo_url);
end $$;

comment on function service_private.register(text, text, text, text, boolean, boolean, boolean, boolean, text) is
  'Makes an account as its person asks for it, and returns its uid. The first one outside production is an admin. is_verified: a provider '
  'vouches for the address. GW409 EMAIL_EXISTS, and what service_private.may_register refuses.';
