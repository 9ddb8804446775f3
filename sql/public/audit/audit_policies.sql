-- Clauses are read as PostgreSQL writes them, which is one way of writing. An unchanged policy of a collection file
-- expresses its author's wish: that it is open is reported, and is no fault. A restriction that depends on the caller
-- narrows every other policy. No nested loops, as in service_private.introspected_relations: a third of the time with
-- 4,000 policies.
create or replace function service.audit_policies()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off set enable_nestloop = off as $$
#variable_conflict use_column
declare
  uid constant text := '(service\.uid\(\)|(NULLIF\()?current_setting\(''app\.uid''::text(, true)?\)(, ''''::text\))?)';
  anonymous constant text := '^(' || uid || ' (IS NOT NULL|<> ''''::text)|NOT service\.is_anonymous\(\))$';
  authenticated constant text :=
    '^(' || uid || ' <> ''anonymous''::text|auth\.uid\(\) IS NOT NULL|auth\.roles?\(\) = ''authenticated''::text'
    '|''anon''::text <> ALL \(string_to_array\(service\.roles\(\), '',''::text\)\))$';
  unknown constant text :=
    '^([\w.]*(uid|user_id|current_user)\(\)|current_setting\(''[^'']*(user|uid|sub)[^'']*''::text(, true)?\)) IS NOT NULL$';
  asks constant text := '\m(service|auth)\.\w+\(|\mcurrent_setting\(|\m(CURRENT_USER|SESSION_USER|CURRENT_ROLE)\M|\( SELECT ';
  throws constant text := '(current_setting\(''[^'']*\.[^'']*''::text)\)';
  itself constant text := '\m([a-z_]\w*)\.([a-z_]\w*) = \1\.\2(?![\w.])';
begin
  return query
  with policy as materialized (
    select p.*,
      -- The check of a written row.
      case when p.operation in ('a', 'w', '*') then coalesce(p.check_clause, p.using_clause) end as passing,
      coalesce(p.using_clause, p.check_clause) as clause,
      service_private.plain_clause(p.using_clause) as plain_using, service_private.plain_clause(p.check_clause) as plain_check,
      concat_ws(' ', p.using_clause, p.check_clause) as said
    from service_private.audited_policies() p
    where p.applies and (p.readable or p.writable)
  ), calls as (
    select distinct d.objid as oid
    from pg_depend d where d.classid = 'pg_policy'::regclass and d.refclassid = 'pg_proc'::regclass
  ), lets as materialized (
    select p.*, p.plain_using = 'true' or p.plain_check = 'true' as everybody,
      coalesce(p.plain_using ~ anonymous, false) or coalesce(p.plain_check ~ anonymous, false) as anonymous,
      p.plain_using ~ authenticated or p.plain_check ~ authenticated as authenticated,
      p.plain_using ~ unknown or p.plain_check ~ unknown as somebody,
      p.writable and p.operation <> 'r' and c.oid is null and p.said !~ asks as unasked
    from policy p
    left join calls c on c.oid = p.oid
    where p.permissive
  ), open as materialized (
    select l.*,
      case when l.origin is not null and x.state = service_private.policy_state(l.oid) then 'info' end as by_file
    from lets l
    left join lateral (
      select substring(d.description from ' state:([0-9a-f]+) ') as state
      from pg_description d where d.classoid = 'pg_policy'::regclass and d.objoid = l.oid) x on true
    where (l.everybody or l.anonymous or l.authenticated or l.somebody or l.unasked)
      and not exists (
        select from policy r
        where r.relation = l.relation and not r.permissive and r.operation in (l.operation, '*') and r.said ~ asks)
  ), judged as (
    select o.*, j.id, coalesce(o.by_file, j.severity) as severity, j.detail
    from open o
    cross join lateral (
      select v.id, v.severity, v.detail
      from (values
        (1, o.everybody, 'policy-always-true', null, 'is true for every caller'),
        (2, o.anonymous, 'policy-anonymous-tautology', null,
          'is true without a sign-in too: write (select service.uid()) <> ''anonymous'''),
        (3, o.authenticated, 'policy-authenticated-tautology', null, 'checks for a sign-in, and nothing else'),
        (4, o.somebody, 'policy-anonymous-tautology', 'medium',
          'asks whether there is a user, which may hold without a sign-in: this service cannot tell'),
        (5, o.unasked, 'anonymous-write-allowed', null, 'lets rows be written and does not ask who writes them')
      ) v (n, applies, id, severity, detail)
      where v.applies
      order by v.n
      limit 1) j
  ), rewritten as (
    select p.*, service_private.wrapped_calls(p.using_clause) as wrapped_using,
      service_private.wrapped_calls(p.check_clause) as wrapped_check
    from policy p
    where p.origin is null
  ), compared as (
    select p.target - 'policy' as target, p.full_name, p.relation, a.attname, a.attnum, min(p.name) as name
    from policy p
    join pg_depend d on d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_class'::regclass
      and d.refobjid = p.relation and d.refobjsubid > 0
    join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid and a.atttypid <> 'boolean'::regtype
    where p.using_clause ~ ('\m' || a.attname || '"?(\)*::[\w ]+)?\)* = ') or p.using_clause ~ (' = \(*"?' || a.attname || '\M')
    group by p.target - 'policy', p.full_name, p.relation, a.attname, a.attnum
  ), repeated as (
    select min(p.target::text)::jsonb as target, p.full_name, array_agg(p.name order by p.name) as names,
      string_agg('(' || p.using_clause || ')', ' or ' order by p.name) as using_clause,
      string_agg('(' || p.passing || ')', ' or ' order by p.name) filter (where p.check_clause is not null) as check_clause,
      string_agg('(' || p.passing || ')', ' or ' order by p.name) as passing
    from policy p
    where p.permissive and p.origin is null
    group by p.relation, p.full_name, p.operation, p.roles
    having count(*) > 1
  )
  select j.id, j.severity, j.target,
    format('%I on %s %s', j.name, j.full_name, j.detail)
      || case when j.by_file is not null then format('. So says %s, which is the place to change it.', j.origin)
        else '. The fix leaves it to admins: who else may is for you to say.' end,
    case when j.by_file is not null then null
      -- Rows that may be read but not given away.
      when j.everybody and j.plain_using <> 'true' then service_private.altered_policy(j.name, j.full_name, null, j.using_clause)
      else service_private.altered_policy(j.name, j.full_name,
        case when j.using_clause is not null then service_private.admin_clause() end,
        case when j.check_clause is not null then service_private.admin_clause() end) end
  from judged j
  union all
  select 'current-setting-throws', null, p.target, format('%I on %s calls current_setting without true.', p.name, p.full_name),
    service_private.altered_policy(p.name, p.full_name, regexp_replace(p.using_clause, throws, '\1, true)', 'g'),
      regexp_replace(p.check_clause, throws, '\1, true)', 'g'))
  from policy p
  where p.said ~ throws
  union all
  select case when p.kind = 'p' then 'partitioned-identity-call' else 'policy-helper-per-row' end, null, p.target,
    format('%I on %s calls for the caller outside (select …).', p.name, p.full_name),
    service_private.altered_policy(p.name, p.full_name, p.wrapped_using, p.wrapped_check)
  from rewritten p
  where p.wrapped_using is distinct from p.using_clause or p.wrapped_check is distinct from p.check_clause
  union all
  select 'unqualified-column-in-subquery', null, p.target || jsonb_build_object('column', f.found[2]),
    format('%I on %s: in its query %s.%s is compared with itself.', p.name, p.full_name, f.found[1], f.found[2])
      || case when c.relname is null then ' Its own table has no such column: which one is meant is for you to say.' else '' end,
    case when c.relname is not null then service_private.altered_policy(p.name, p.full_name,
      regexp_replace(p.using_clause, itself, '\1.\2 = ' || quote_ident(c.relname) || '.\2', 'g'),
      regexp_replace(p.check_clause, itself, '\1.\2 = ' || quote_ident(c.relname) || '.\2', 'g')) end
  from policy p
  cross join lateral (select regexp_match(p.said, itself) as found) f
  left join pg_class c on c.oid = p.relation and c.relname <> f.found[1]
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = f.found[2] and a.attnum > 0 and not a.attisdropped)
  where f.found is not null
  union all
  select 'policy-trusts-user-metadata', null, p.target,
    format('%I on %s reads user_metadata. The fix reads app_metadata, which only the server writes.', p.name, p.full_name),
    service_private.altered_policy(p.name, p.full_name, replace(p.using_clause, 'user_metadata', 'app_metadata'),
      replace(p.check_clause, 'user_metadata', 'app_metadata'))
  from policy p
  where p.said like '%user\_metadata%'
  union all
  select 'policy-column-unindexed', null, c.target || jsonb_build_object('column', c.attname),
    format('%I on %s compares %I, with which no index begins.', c.name, c.full_name, c.attname),
    format('create index on %s (%I);', c.full_name, c.attname)
  from compared c
  where not exists (select from pg_index i where i.indrelid = c.relation and i.indisvalid and i.indkey[0] = c.attnum)
  union all
  select 'duplicate-permissive-policies', null, r.target,
    format('%s on %s are for the same roles and the same operation.', array_to_string(r.names, ', '), r.full_name),
    -- The widened policy first: no caller loses rows in between.
    concat_ws(' ', service_private.altered_policy(r.names[1], r.full_name, r.using_clause,
        case when r.check_clause is not null then r.passing end),
      (select string_agg(format('drop policy %I on %s;', n, r.full_name), ' ') from unnest(r.names[2:]) n))
  from repeated r;
end $$;

comment on function service.audit_policies() is
  'The part of service.audit() about what policies say (service.audit_tables says what is returned).';

-- Example: select severity, target, detail, fix from service.audit_policies();
