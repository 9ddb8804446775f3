create or replace function service_private.audit_excluded_schemas() returns table (schema_name text, reason text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select n.nspname::text,
    case when n.nspname in ('service', 'service_private') then 'the service''s own' when n.nspname = 'graphile_migrate'
      then 'history of migrations' else 'system' end
  from pg_namespace n
  where n.nspname in ('service', 'service_private', 'graphile_migrate', 'information_schema') or n.nspname like 'pg\_%';
end;

comment on function service_private.audit_excluded_schemas() is
  'Schemas that service.audit() does not check, and why. The service''s own tables have row security and no grants, which the migrations '
  'ensure.';
