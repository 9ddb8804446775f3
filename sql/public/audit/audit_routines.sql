-- A body in standard SQL was bound to its objects when it was made: no search path changes what it means.
create or replace function service.audit_routines()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  with called as materialized (
    select distinct d.refobjid as oid
    from pg_depend d
    where d.classid = 'pg_policy'::regclass and d.refclassid = 'pg_proc'::regclass
  ), routine as materialized (
    select p.*, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as full_name,
      case p.prokind when 'p' then 'procedure' else 'function' end as kind,
      jsonb_build_object('schema', n.nspname, 'routine', p.proname) as target,
      quote_ident(n.nspname) as schema, c.oid is not null as is_called,
      p.prosqlbody is null and not exists (select from unnest(p.proconfig) s where s like 'search\_path=%') as is_mutable,
      has_schema_privilege('service_user', n.oid, 'usage') and has_function_privilege('service_user', p.oid, 'execute') as executable
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    left join called c on c.oid = p.oid
    where p.prokind in ('f', 'p')
      and n.nspname not in (select e.schema_name from service_private.audit_excluded_schemas() e)
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  )
  select 'security-definer-mutable-search-path', null::text, r.target,
    format('%s runs as %s with the search path of its caller.', r.full_name, pg_get_userbyid(r.proowner)),
    format('alter %s %s set search_path = pg_catalog, %s, pg_temp;', r.kind, r.full_name, r.schema)
  from routine r
  where r.prosecdef and r.is_mutable
  union all
  select 'security-definer-executable', null, r.target,
    format('Requests may call %s, which runs as %s.', r.full_name, pg_get_userbyid(r.proowner)),
    service_private.exposed_revoke('execute', r.kind || ' ' || r.full_name)
  from routine r
  where r.prosecdef and r.executable and not r.is_called
    and not exists (select from service_private.endpoints() e where e.oid = r.oid and e.problem is null)
    and r.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
  union all
  select 'function-search-path-mutable', null, r.target,
    format('Policies call %s. A body in standard SQL (begin atomic, return) needs no search path and can be inlined.', r.full_name),
    format('alter function %s set search_path = pg_catalog, %s, pg_temp;', r.full_name, r.schema)
  from routine r
  where r.is_called and not r.prosecdef and r.is_mutable
  union all
  select 'identity-in-immutable-function', null, r.target, format('%s asks for the caller and is declared immutable.', r.full_name),
    format('alter function %s stable;', r.full_name)
  from routine r
  where r.provolatile = 'i' and coalesce(pg_get_function_sqlbody(r.oid), r.prosrc)
    ~* '\m(current_setting\s*\(|current_user\M|session_user\M|(service|auth)\.(uid|roles?|jwt|claim|is_anonymous|email)\s*\()'
  union all
  select 'endpoint-not-served', null, jsonb_build_object('schema', n.nspname, 'routine', e.name),
    format('%s is not served: %s.', e.signature, e.problem), null
  from service_private.endpoints() e
  join pg_proc p on p.oid = e.oid
  join pg_namespace n on n.oid = p.pronamespace
  where e.problem is not null
  union all
  select 'endpoint-security-definer', null, r.target,
    format('/functions/%s calls %s, which runs as %s.', r.proname, r.full_name, pg_get_userbyid(r.proowner)),
    format('alter function %s security invoker;', r.full_name)
  from service_private.endpoints() e
  join routine r on r.oid = e.oid
  where e.problem is null and r.prosecdef;
end $$;

comment on function service.audit_routines() is 'The part of service.audit() about functions (service.audit_tables says what is returned).';

-- Example: select severity, target, detail, fix from service.audit_routines();
