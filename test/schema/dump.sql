-- The schemas "service" and "service_private" as text, for reading and comparing: schema.sql beside it is what this returns for a database that
-- was just migrated. A function is one line, whose end names its file and the hash of that. PostgreSQL 15 to 18 return the same: the owner goes by no name, and what only some versions
-- know (the privilege MAINTAIN, NOT NULL as a constraint) is left out.
with
  schema as (
    select n.oid, n.nspname, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl
    from pg_namespace n where n.nspname in ('service', 'service_private')
  ),
  relation as (
    select c.*, format('%I.%I', s.nspname, c.relname) as name from pg_class c join schema s on s.oid = c.relnamespace
  ),
  function as (
    select p.*, format('%I.%I(%s)', s.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name
    from pg_proc p join schema s on s.oid = p.pronamespace
  ),
  source as (
    select substring(s.path from '([^/]+)\.sql$') as name, s.path, s.hash from service.sources s
  ),
  -- One row for each object: what it is, what it is called, who owns it and who may do what with it.
  object as (
    select 'schema' as kind, s.nspname::text as name, s.nspowner as owner, s.acl, 'pg_namespace'::regclass as catalog, s.oid, 0 as column_number from schema s
    union all
    select case r.relkind when 'S' then 'sequence' else 'table' end, r.name, r.relowner,
      coalesce(r.relacl, acldefault(case r.relkind when 'S' then 's' else 'r' end::"char", r.relowner)), 'pg_class', r.oid, 0
    from relation r where r.relkind in ('r', 'p', 'v', 'S')
    union all
    select 'column', format('%s.%I', r.name, a.attname), r.relowner, a.attacl, 'pg_class', r.oid, a.attnum
    from relation r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    where r.relkind in ('r', 'p', 'v', 'c')
    union all
    select 'function', f.name, f.proowner, coalesce(f.proacl, acldefault('f', f.proowner)), 'pg_proc', f.oid, 0 from function f
    union all
    select 'type', format('%I.%I', s.nspname, t.typname), t.typowner, coalesce(t.typacl, acldefault('T', t.typowner)), 'pg_type', t.oid, 0
    from pg_type t join schema s on s.oid = t.typnamespace
    left join pg_class c on c.oid = t.typrelid
    where t.typtype in ('d', 'e') or c.relkind = 'c'
  ),
  described as (
    select o.catalog, o.oid, o.column_number, format('comment on %s %s is %L;', o.kind, o.name, d.description) as text
    from object o
    join pg_description d on d.classoid = o.catalog and d.objoid = o.oid and d.objsubid = o.column_number
  ),
  granted as (
    select o.catalog, o.oid, o.column_number,
      format('grant %s on %s %s to %s;', string_agg(lower(a.privilege_type), ', ' order by a.privilege_type), o.kind, o.name, coalesce(r.rolname, 'public')) as text
    from object o
    cross join aclexplode(o.acl) a
    left join pg_roles r on r.oid = a.grantee
    where a.grantee <> o.owner and a.privilege_type <> 'MAINTAIN'
    group by o.catalog, o.oid, o.column_number, o.kind, o.name, r.rolname
  ),
  -- What is said about an object, after its definition.
  remark as (
    select r.catalog, r.oid, string_agg(r.text, E'\n' order by r.rank, r.column_number, r.text collate "C") as text
    from (select 1 as rank, * from described union all select 2, * from granted) r
    group by r.catalog, r.oid
  ),
  columns as (
    select r.oid, string_agg(format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attidentity <> '' then format(' generated %s as identity', case a.attidentity when 'a' then 'always' else 'by default' end) else '' end,
      case when d.oid is null then '' when a.attgenerated <> '' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
        else format(' default %s', pg_get_expr(d.adbin, d.adrelid)) end,
      case when a.attnotnull then ' not null' else '' end), E',\n' order by a.attnum) as text
    from relation r
    join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    group by r.oid
  ),
  constraints as (
    select c.conrelid as oid, string_agg(format(E',\n  constraint %I %s', c.conname, pg_get_constraintdef(c.oid)), '' order by c.contype = 'p' desc, c.conname collate "C") as text
    from pg_constraint c where c.contype <> 'n'
    group by c.conrelid
  ),
  definition (rank, name, catalog, oid, text) as (
    select 1, '', 'pg_roles'::regclass, r.oid,
      format('create role service_user %s;', concat_ws(' ',
        case when r.rolsuper then 'superuser' end, case when r.rolbypassrls then 'bypassrls' end, case when r.rolcreaterole then 'createrole' end,
        case when r.rolcreatedb then 'createdb' end, case when r.rolcanlogin then 'login' else 'nologin' end, case when r.rolinherit then 'inherit' else 'noinherit' end))
      || coalesce((select E'\n' || string_agg(format('grant %I to service_user;', m.roleid::regrole::text), E'\n' order by m.roleid::regrole::text)
        from pg_auth_members m where m.member = r.oid), '')
    from pg_roles r where r.rolname = 'service_user'
    union all
    select 2, s.nspname, 'pg_namespace', s.oid, format('create schema %I;', s.nspname) from schema s
    union all
    select 3, t.typname, 'pg_type', t.oid, format('create type %s %s;', o.name, case t.typtype
      when 'c' then format(E'as (\n%s\n)', (select c.text from columns c where c.oid = t.typrelid))
      when 'e' then format('as enum (%s)', (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
      else format('as %s', format_type(t.typbasetype, t.typtypmod)) end)
    from object o join pg_type t on t.oid = o.oid where o.catalog = 'pg_type'::regclass
    union all
    select 4, r.relname, 'pg_class', r.oid, format(E'create sequence %s;', r.name) from relation r
    where r.relkind = 'S' and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = r.oid and d.deptype = 'i')
    union all
    select 5, r.relname, 'pg_class', r.oid,
      format(E'create %stable %s (\n%s%s\n)%s;', case r.relpersistence when 'u' then 'unlogged ' else '' end, r.name, coalesce(c.text, ''), coalesce(k.text, ''),
        case r.relkind when 'p' then ' partition by ' || pg_get_partkeydef(r.oid) else '' end)
      || case when r.relrowsecurity then format(E'\nalter table %s enable row level security;', r.name) else '' end
      || case when r.relforcerowsecurity then format(E'\nalter table %s force row level security;', r.name) else '' end
      || coalesce((
        select E'\n' || string_agg(pg_get_indexdef(i.indexrelid) || ';', E'\n' order by i.indexrelid::regclass::text collate "C") from pg_index i
        where i.indrelid = r.oid and not exists (select from pg_constraint p where p.conindid = i.indexrelid and p.contype in ('p', 'u', 'x'))), '')
      || coalesce((
        select E'\n' || string_agg(format('create policy %I on %s as %s for %s to %s%s%s;', p.polname, r.name,
          case when p.polpermissive then 'permissive' else 'restrictive' end,
          case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
          (select string_agg(case u.role when 0 then 'public' else u.role::regrole::text end, ', ' order by u.n) from unnest(p.polroles) with ordinality u (role, n)),
          ' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')'), E'\n' order by p.polname collate "C")
        from pg_policy p where p.polrelid = r.oid), '')
      || coalesce((
        select E'\n' || string_agg(pg_get_triggerdef(t.oid) || ';', E'\n' order by t.tgname collate "C") from pg_trigger t where t.tgrelid = r.oid and not t.tgisinternal), '')
    from relation r
    left join columns c on c.oid = r.oid
    left join constraints k on k.oid = r.oid
    where r.relkind in ('r', 'p')
    union all
    select 6, r.relname, 'pg_class', r.oid, format(E'create view %s as\n%s', r.name,
      -- From version 16 on PostgreSQL names no table where there is only one.
      regexp_replace(pg_get_viewdef(r.oid), '\m[a-z]\.', '', 'g')) from relation r where r.relkind = 'v'
    union all
    select 7, f.name, 'pg_proc', f.oid, concat(
      format('function %I.%I(%s) returns %s: ', n.nspname, p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)),
      concat_ws(', ',
        (select l.lanname from pg_language l where l.oid = p.prolang),
        case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
        case when p.proparallel = 's' then 'parallel safe' end,
        case when p.prosecdef then 'security definer' end,
        'set ' || array_to_string(p.proconfig, ' set '),
        'for ' || (
          select string_agg(coalesce(r.rolname, 'public'), ', ' order by r.rolname)
          from aclexplode(f.acl) a left join pg_roles r on r.oid = a.grantee where a.grantee <> f.owner)),
      '; ' || s.path || ' ' || left(s.hash, 12))
    from object f join pg_proc p on p.oid = f.oid join pg_namespace n on n.oid = p.pronamespace left join source s on s.name = p.proname where f.catalog = 'pg_proc'::regclass
    union all
    select 8, e.evtname, 'pg_event_trigger', e.oid,
      format('create event trigger %I on %s execute function %s();', e.evtname, e.evtevent, e.evtfoid::regproc)
    from pg_event_trigger e join function f on f.oid = e.evtfoid
  )
select string_agg(d.text || coalesce(E'\n' || r.text, ''), case when d.rank = 7 then E'\n' else E'\n\n' end order by d.rank, d.name collate "C") || E'\n' as schema
from definition d
left join remark r on r.catalog = d.catalog and r.oid = d.oid and d.rank <> 7;
