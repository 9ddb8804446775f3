-- A login role for one lane of this database: a member of service_user and nothing else, restricted by its settings,
-- which a transaction pooler keeps. Settings are written only where they differ: two gateways that start together
-- would else update the same catalog row ("tuple concurrently updated"). A role of this name that is no member of
-- service_user is not ours: neither its password nor its settings are changed.
create or replace function service_private.login_role(name text, password text, settings jsonb, renew boolean default false) returns void
  language plpgsql volatile as $$
declare
  setting record;
  is_ours boolean := (
    select exists (
      select from pg_catalog.pg_auth_members m join pg_catalog.pg_roles g on g.oid = m.roleid
      where m.member = r.oid and g.rolname = 'service_user')
    from pg_catalog.pg_roles r where r.rolname = name);
  current text[] := (
    select s.setconfig from pg_catalog.pg_db_role_setting s
    join pg_catalog.pg_roles r on r.oid = s.setrole join pg_catalog.pg_database d on d.oid = s.setdatabase
    where r.rolname = name and d.datname = current_database());
begin
  if is_ours is null then
    execute format('create role %I login noinherit password %L', name, password);
    execute format('grant service_user to %I', name);
  elsif not is_ours then
    raise exception using
      errcode = '42710',
      message = format('role %I exists and is not one of this service', name),
      hint = format('Rename it, or name logins of your own (DATABASE_READER_URL, DATABASE_WRITER_URL), or make it one: '
        'grant service_user to %I;', name);
  elsif renew then
    execute format('alter role %I password %L', name, password);
  end if;
  for setting in select s.key, s.value from jsonb_each_text(settings) s loop
    -- The server writes a setting's name as it knows it: timezone is stored as TimeZone.
    if not exists (
      select from unnest(current) c
      where lower(split_part(c, '=', 1)) = lower(setting.key) and substr(c, position('=' in c) + 1) = setting.value)
    then
      begin
        -- A path is a list of identifiers: as one literal it would be one schema of that name.
        execute format('alter role %I in database %I set %s = ' || case setting.key when 'search_path' then '%s' else '%L' end,
          name, current_database(), setting.key, setting.value);
      exception when insufficient_privilege then
        -- Only superusers may store a setting that no extension defines. A lane tells its connections at their start; app.uid is
        -- as empty without.
        if setting.key not like '%.%' then
          raise;
        end if;
      end;
    end if;
  end loop;
end $$;

comment on function service_private.login_role(text, text, jsonb, boolean) is
  'Creates (or completes) a lane''s login role for this database: member of service_user, with settings {name: value} stored in this '
  'database. password: a SCRAM-SHA-256 verifier, used when the role is new, or renew says so. 42710 when a role of this name is not the '
  'service''s. Needs CREATEROLE.';
