create or replace function service_private.audit_exposed_roles() returns table (oid oid, name text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select 0::oid, 'PUBLIC'
  union all
  select r.oid, r.rolname::text from pg_roles r where pg_has_role('service_user', r.oid, 'usage');
end;

comment on function service_private.audit_exposed_roles() is
  'The roles whose rights a request has, without a sign-in too: PUBLIC, service_user, and those whose privileges service_user inherits.';
