create or replace function service_private.create_first_admin(email text, password_hash text) returns boolean
  language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('service_private.register', 0));
  if service_private.has_people() then
    return false;
  end if;
  perform service_private.create_account(email, password_hash, null, '{admin}', true);
  return true;
end $$;

comment on function service_private.create_first_admin(text, text) is 'Makes an admin where there is no account yet; whether it did.';
