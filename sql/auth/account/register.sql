-- Whoever could be the first waits for whoever else could be: one of them is.
create or replace function service.register(
  email text, password_hash text, display_name text, default_role text, open boolean, closed boolean, production boolean) returns text
  language plpgsql volatile as $$
declare
  is_first boolean := service.may_register(open, closed, production);
begin
  if is_first then
    perform pg_advisory_xact_lock(hashtextextended('service.register', 0));
    is_first := service.may_register(open, closed, production);
  end if;
  return service.create_account(email, password_hash, display_name,
    array_remove(array[default_role, case when is_first then 'admin' end], null));
end $$;

comment on function service.register(text, text, text, text, boolean, boolean, boolean) is
  'Makes an account as its person asks for it, and returns its uid. The first one outside production is an admin. GW409 EMAIL_EXISTS, '
  'and what service.may_register refuses.';

revoke all on function service.register(text, text, text, text, boolean, boolean, boolean) from public;
