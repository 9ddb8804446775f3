-- Row security applies to roles that are neither superuser nor exempt nor owner of the table. A login is checked
-- because a session can return to it; its other memberships are its administrator's business.
create or replace function service_private.role_faults(login text) returns setof text
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select format('%I %s', r.rolname, case when r.rolsuper then 'is a superuser' else 'bypasses row security' end)
  from pg_roles r where r.rolname in (role_faults.login, 'service_user') and (r.rolsuper or r.rolbypassrls)
  union all
  select format('service_user has the privileges of %I', r.rolname)
  from pg_roles r where r.rolname <> 'service_user' and pg_has_role('service_user', r.oid, 'usage')
  union all
  select format('service_user owns %s, whose policies therefore do not hold for it', c.oid::regclass)
  from pg_class c join pg_roles r on r.oid = c.relowner
  where r.rolname = 'service_user' and c.relkind in ('r', 'p') and not c.relforcerowsecurity;
end;

comment on function service_private.role_faults(text) is
  'Why row security would not hold for a lane that logs in as this role: attributes of the login or of service_user, roles whose '
  'privileges service_user has, tables that it owns. None when all is well.';
