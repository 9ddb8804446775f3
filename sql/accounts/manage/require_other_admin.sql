-- Two admins who take each other's role away at once would both find the other there: they wait for each other.
create or replace function service_private.require_other_admin(uid text) returns void
  language plpgsql volatile as $$
begin
  if exists (select from service.users u where u.uid = require_other_admin.uid and 'admin' = any (u.roles) and not u.disabled) then
    perform pg_advisory_xact_lock(hashtextextended('service_private.require_other_admin', 0));
    if not exists (
      select from service.users u where u.uid <> require_other_admin.uid and 'admin' = any (u.roles) and not u.disabled)
    then
      perform service.fail(403, 'LAST_ADMIN', 'This account is the last admin.');
    end if;
  end if;
end $$;

comment on function service_private.require_other_admin(text) is
  'GW403 LAST_ADMIN when this account is the only admin. To be called before it stops being one.';
