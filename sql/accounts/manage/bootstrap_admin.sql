create or replace function service_private.bootstrap_admin(uid text, production boolean) returns void
  language plpgsql volatile as $$
declare
  account service.users;
begin
  perform pg_advisory_xact_lock(hashtextextended('service_private.require_other_admin', 0));
  if exists (select from service.users u where 'admin' = any (u.roles)) then
    perform service.fail(403, 'BOOTSTRAP_COMPLETED', 'There is an admin already.');
  elsif production then
    perform service.fail(403, 'SETUP_REQUIRED', 'In production the first admin comes from SERVICE_ADMIN_EMAIL, or from the service key.');
  end if;
  select u.* into account from service.users u where u.uid = bootstrap_admin.uid;
  if account.is_anonymous then
    perform service.fail(403, 'BOOTSTRAP_ANONYMOUS', 'A guest cannot become the first admin.');
  elsif account.uid is null then
    perform service.fail(404, 'USER_NOT_FOUND', 'There is no account of this caller.');
  elsif account.uid <> (select u.uid from service.users u where not u.is_anonymous order by u.created_at, u.uid limit 1) then
    perform service.fail(403, 'BOOTSTRAP_NOT_FIRST_USER', 'Only who registered first can become the first admin.');
  end if;
  update service.users u set roles = u.roles || '{admin}', updated_at = clock_timestamp() where u.uid = account.uid;
end $$;

comment on function service_private.bootstrap_admin(text, boolean) is
  'Makes the first registered account the first admin, outside production. GW403 BOOTSTRAP_COMPLETED, SETUP_REQUIRED, BOOTSTRAP_ANONYMOUS, '
  'BOOTSTRAP_NOT_FIRST_USER, GW404 USER_NOT_FOUND.';
