-- A login role for one lane of this database: a member of service_user and nothing else, restricted by its settings,
-- which a transaction pooler keeps. Settings are written only where they differ: two gateways that start together
-- would else update the same catalog row ("tuple concurrently updated").
create or replace function service.login_role(name text, password text, settings jsonb, renew boolean default false) returns void
  language plpgsql volatile as $$
declare
  setting record;
  current text[] := (
    select s.setconfig from pg_catalog.pg_db_role_setting s
    join pg_catalog.pg_roles r on r.oid = s.setrole join pg_catalog.pg_database d on d.oid = s.setdatabase
    where r.rolname = name and d.datname = current_database());
begin
  if not exists (select from pg_catalog.pg_roles where rolname = name) then
    execute format('create role %I login noinherit password %L', name, password);
  elsif renew then
    execute format('alter role %I password %L', name, password);
  end if;
  if not pg_has_role(name, 'service_user', 'member') then
    execute format('grant service_user to %I', name);
  end if;
  for setting in select s.key, s.value from jsonb_each_text(settings) s loop
    if setting.key || '=' || setting.value <> all (coalesce(current, '{}')) then
      execute format('alter role %I in database %I set %s = %L', name, current_database(), setting.key, setting.value);
    end if;
  end loop;
end $$;

comment on function service.login_role(text, text, jsonb, boolean) is
  'Makes (or completes) a lane''s login role for this database: member of service_user, with settings {name: value} stored in this database. password: a SCRAM-SHA-256 verifier, used when the role is new, or renew says so. Needs CREATEROLE.';

revoke all on function service.login_role(text, text, jsonb, boolean) from public;
