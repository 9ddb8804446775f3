create or replace function service.audit_tables()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  with relation as materialized (
    select r.*, p.oid is not null as has_policies,
      case when p.oid is null then
        format('create policy %I on %s using (%s);', left(r.name, 50) || '_admin', r.full_name,
          service_private.admin_clause()) end as admin_policy
    from service_private.audited_relations() r
    left join (select distinct p.polrelid as oid from pg_policy p) p on p.oid = r.oid
  ), open as (
    select r.*,
      concat_ws(' ', format('alter table %s enable row level security;', r.full_name),
        case when not r.managed then r.admin_policy end) as fix
    from relation r
    where r.kind in ('r', 'p') and not r.protected and (r.readable or r.writable or r.managed)
  ), junction as (
    select distinct j.oid from (select distinct r.schema_name from open r) s cross join service_private.junctions(s.schema_name) j (oid)
  ), granted as (
    select r.target, r.full_name, string_agg(lower(a.privilege_type), ', ' order by a.privilege_type) as privileges
    from relation r
    cross join aclexplode(r.acl) a
    where a.grantee = 0
    group by r.target, r.full_name
  ), owner as (
    select n.nspowner as oid from pg_namespace n where n.nspname = 'service'
  )
  select 'rls-disabled', null::text, o.target,
    format('%s can be %s by every request%s.', o.full_name,
      case when not o.readable and not o.writable then 'opened' when o.writable then 'read and written' else 'read' end,
      case when o.managed then ', although ' || coalesce('the collection ' || o.collection, 'a junction of collections')
        || ' has row security' when o.has_policies then '; its policies are not in force' else '' end),
    o.fix
  from open o
  union all
  select 'policies-without-rls', null, r.target, format('%s has policies, and row security is off.', r.full_name),
    format('alter table %s enable row level security;', r.full_name)
  from relation r
  where r.kind in ('r', 'p') and r.has_policies and not r.protected and not (r.readable or r.writable or r.managed)
  union all
  select 'junction-table-unprotected', null, o.target,
    format('%s links %s, of which row security protects the rows, and has none itself.', o.full_name,
      (select string_agg(distinct f.confrelid::regclass::text, ' and ') from pg_constraint f where f.conrelid = o.oid and f.contype = 'f')),
    o.fix
  from open o
  join junction j on j.oid = o.oid
  where exists (
    select from pg_constraint f join pg_class c on c.oid = f.confrelid and c.relrowsecurity where f.conrelid = o.oid and f.contype = 'f')
  union all
  select 'rls-enabled-no-policies', null, r.target,
    format('%s has row security and no policy. The fix lets admins; who else may is for you to say.', r.full_name), r.admin_policy
  from relation r
  where r.kind in ('r', 'p') and r.protected and not r.has_policies and (r.readable or r.writable)
  union all
  select 'rls-enabled-not-forced', null, r.target,
    format('%s belongs to %I, for which its policies do not hold.', r.full_name, o.rolname),
    format('alter table %s force row level security;', r.full_name)
  from relation r
  -- Superusers and roles that pass row security by do so when it is forced, too.
  join pg_roles o on o.oid = r.owner and not o.rolsuper and not o.rolbypassrls
  where r.kind in ('r', 'p') and r.protected and not r.forced and (r.readable or r.writable)
    and r.owner not in (select owner.oid from owner)
  union all
  select 'grant-to-public', null, g.target, format('PUBLIC has %s on %s.', g.privileges, g.full_name),
    format('revoke all on %s from public;', g.full_name)
  from granted g
  union all
  select 'grant-to-public', null, jsonb_build_object('schema', n.nspname), format('PUBLIC may create objects in %I.', n.nspname),
    format('revoke create on schema %I from public;', n.nspname)
  from pg_namespace n
  cross join aclexplode(n.nspacl) a
  where a.grantee = 0 and a.privilege_type = 'CREATE'
    and n.nspname not in (select e.schema_name from service_private.audit_excluded_schemas() e)
  union all
  select 'foreign-table-readable', null, r.target, format('%s is on another server, and every request reads it.', r.full_name),
    service_private.exposed_revoke('select', r.full_name)
  from relation r
  where r.kind = 'f' and r.readable
  union all
  select 'no-primary-key', null, r.target,
    format('%s has no primary key', r.full_name)
      || case when u.name is null then ', and no unique index on columns that are not null of which one could be made: which columns '
        'make a row one is for you to say.' else format('; its index %I can become one.', u.name) end,
    case when u.name is not null then format('alter table %s add primary key using index %I;', r.full_name, u.name) end
  from relation r
  left join lateral (
    select x.relname as name
    from pg_index i
    join pg_class x on x.oid = i.indexrelid
    where i.indrelid = r.oid and r.kind = 'r' and i.indisunique and i.indisvalid and i.indimmediate
      and i.indpred is null and i.indexprs is null
      and i.indoption::text ~ '^[0 ]+$'
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
      and not exists (
        select from unnest(i.indkey) k join pg_attribute a on a.attrelid = r.oid and a.attnum = k where not a.attnotnull)
    order by i.indexrelid
    limit 1
  ) u on true
  where r.kind in ('r', 'p')
    and not exists (select from pg_index i where i.indrelid = r.oid and i.indisprimary)
    and not exists (select from pg_class c where c.oid = r.oid and c.relispartition);
end $$;

comment on function service.audit_tables() is
  'The part of service.audit() about tables: id (of service.audit_checks), severity where it is not that of the check, target, detail, '
  'and fix, the SQL that mends it (null where detail says why there is none).';

-- Example: select severity, target, detail, fix from service.audit_tables();
