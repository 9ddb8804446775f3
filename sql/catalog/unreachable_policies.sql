create or replace function service.unreachable_policies() returns table (table_name text, policy text, roles text)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select p.polrelid::regclass::text, p.polname::text,
    (select string_agg(r.rolname, ', ' order by r.rolname) from pg_roles r where r.oid = any (p.polroles))
  from pg_policy p
  join pg_class c on c.oid = p.polrelid
  join pg_namespace n on n.oid = c.relnamespace
  join service.collections s on s.schema_name = n.nspname and s.table_name = c.relname
  where not p.polroles && array[0::oid, (select r.oid from pg_roles r where r.rolname = 'service_user')]
  order by 1, 2;
end;

comment on function service.unreachable_policies() is
  'Policies of served tables that can never apply to a request, because they are for roles other than public and service_user.';

revoke all on function service.unreachable_policies() from public;
