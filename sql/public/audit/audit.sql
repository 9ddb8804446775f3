-- Each family by itself: one whose reading of the catalog fails says so, and the others are found all the same.
create or replace function service.audit(rest double precision default 0) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  scanned_at constant timestamptz := clock_timestamp();
  searched text;
  begun timestamptz;
  reported jsonb;
  findings jsonb := '[]';
  degraded jsonb := '[]';
  checks_run integer := 0;
  counted jsonb;
  unrecognized jsonb;
begin
  for searched in select distinct c.family from service.audit_checks() c order by c.family loop
    begun := clock_timestamp();
    begin
      execute format('select jsonb_agg(f) from service.%I() f', 'audit_' || searched) into reported;
      findings := findings || coalesce(reported, '[]');
      checks_run := checks_run + (select count(*) from service.audit_checks() c where c.family = searched);
    exception when others then
      degraded := degraded || (
        select jsonb_agg(jsonb_build_object('what', c.id, 'error', sqlerrm) order by c.id)
        from service.audit_checks() c
        where c.family = searched);
    end;
    perform pg_sleep(rest * extract(epoch from clock_timestamp() - begun));
  end loop;
  begin
    select jsonb_build_object('schemas', count(distinct r.schema_name), 'tables', count(*),
        'policies', (select count(*) from service_private.audited_policies()), 'tablesWithoutRls', count(*) filter (where not r.protected)),
      (select coalesce(jsonb_agg(distinct g.rolname), '[]')
        from service_private.audited_relations() a
        cross join aclexplode(a.acl) x
        join pg_roles g on g.oid = x.grantee
        where g.oid <> a.owner and not g.rolsuper and g.oid not in (select e.oid from service_private.audit_exposed_roles() e))
    into counted, unrecognized
    from service_private.audited_relations() r
    where r.kind in ('r', 'p');
  exception when others then
    degraded := degraded || jsonb_build_object('what', 'stats', 'error', sqlerrm);
  end;
  return jsonb_build_object(
    'scannedAt', to_char(scanned_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'database', jsonb_build_object('host', coalesce(host(inet_server_addr()), 'localhost'), 'name', current_database()),
    'serverVersion', split_part(current_setting('server_version'), ' ', 1),
    'platform', coalesce((
      select p.name
      from (values ('supabase_admin', 'supabase'), ('neon_superuser', 'neon'), ('rds_superuser', 'rds'),
        ('cloudsqlsuperuser', 'cloudsql'), ('azure_pg_admin', 'azure')) p (role, name)
      where p.role in (select r.rolname from pg_roles r)
      limit 1), 'postgresql'),
    'scannerIsPrivileged', (select r.rolsuper or r.rolbypassrls from pg_roles r where r.rolname = current_user),
    'exposedRoles', (select jsonb_agg(e.name order by e.oid) from service_private.audit_exposed_roles() e),
    'stats', coalesce(counted, '{}') || jsonb_build_object('checksRun', checks_run),
    'findings', (
      select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'severity', s.severity, 'title', c.title, 'target', f -> 'target',
          'detail', f -> 'detail', 'impact', c.impact, 'fix', f -> 'fix', 'docs', 'docs/audit.md#checks',
          'confidence', case when s.severity = c.severity or s.severity = 'info' then c.confidence else 'heuristic' end)
        order by array_position('{critical,high,medium,low,info}', s.severity), c.id, f ->> 'target', f ->> 'detail'), '[]')
      from jsonb_array_elements(findings) f
      join service.audit_checks() c on c.id = f ->> 'id'
      cross join lateral (select coalesce(f ->> 'severity', c.severity) as severity) s),
    'diagnostics', jsonb_build_object(
      'degraded', degraded,
      'tlsVerificationDisabled', false,
      'excludedSchemas', (
        select jsonb_agg(jsonb_build_object('schema', e.schema_name, 'reason', e.reason) order by e.schema_name)
        from service_private.audit_excluded_schemas() e),
      'unrecognizedGrantees', coalesce(unrecognized, '[]'),
      'scanningAsExposedRole', (select e.name from service_private.audit_exposed_roles() e where e.name = current_user)));
end $$;

comment on function service.audit(double precision) is
  'Looks for holes in the row security of this database: {scannedAt, database: {host, name}, serverVersion, platform, scannerIsPrivileged, '
  'exposedRoles, stats, findings: [{id, severity, title, target, detail, impact, fix: SQL or null, docs, confidence}], diagnostics: '
  '{degraded: [{what, error}], …}}, worst findings first. A check that failed is listed in degraded. For the owner; changes nothing. One '
  'family by itself: select * from service.audit_policies(). rest: the pause after each family, as a multiple of its time, so that other '
  'sessions are not delayed.';

-- Example: select service.audit();
