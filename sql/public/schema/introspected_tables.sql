-- Every table and view of the schema with what decides whether it is served. One row each; reason is null for those
-- that are. Here and in what builds on it everything is joined as sets: with 2,000 tables a function call or a
-- subquery for each table or column took 25 seconds, the joins take one.
create or replace function service.introspected_tables(schema text, unprotected text) returns setof service.introspected_table
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  with relation as materialized (
    select c.oid, c.relname::text as name, format('%I.%I', n.nspname, c.relname) as full_name, c.relkind as kind, s.type, s.protectable,
      case when s.protectable then c.relrowsecurity end as protected, j.oid is not null as junction, d.description,
      exists (select from pg_policy p where p.polrelid = c.oid) as has_policy,
      c.relkind <> 'v' or service_private.runs_as_caller(c.reloptions) as as_caller,
      pg_has_role(c.relowner, 'usage') or has_table_privilege(c.oid, 'select with grant option')
        or has_any_column_privilege('service_user', c.oid, 'select') as grantable, pg_get_userbyid(c.relowner) as owner,
      d.description ~ '@key [^\n]' as says_key,
      exists (select from pg_inherits i where i.inhparent = c.oid and c.relkind = 'r') as has_heirs
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join (values
      ('r', 'table', true), ('p', 'table', true), ('v', 'view', null), ('m', 'materialized view', false), ('f', 'foreign table', false)
    ) s (relkind, type, protectable) on s.relkind = c.relkind::text
    left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = c.oid and d.objsubid = 0
    left join service_private.junctions(introspected_tables.schema) j (oid) on j.oid = c.oid
    where n.nspname = introspected_tables.schema
      and not c.relispartition
      and c.relname not like 'drizzle\_%'
      -- Objects of an extension belong to it.
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  ), keyed as materialized (
    select r.*, k.key, k.problem
    from relation r
    join service_private.row_keys(array(select r.oid from relation r)) k on k.relation = r.oid
  ), judged as materialized (
    select k.*, o.reason, o.remedy
    from keyed k
    left join lateral (
      select o.reason, o.remedy
      from (values
        (1, k.name in ('collections', '_batch'), 'its name is taken by a route',
          'alter table %1$s rename to …;'),
        (2, not k.as_caller, 'a view that runs as its owner, past row security',
          'alter view %1$s set (security_invoker = on);'),
        (3, introspected_tables.unprotected <> 'serve' and not k.protectable, 'a %2$s, which row security cannot protect',
          'create view %5$I.%3$I with (security_invoker = on) as select * from %1$s where …; '
            'comment on view %5$I.%3$I is ''@key …''; grant select on %1$s to service_user;'),
        (4, not k.grantable, 'service_user may not read it, which only its owner %7$s can grant',
          case when k.kind in ('r', 'p') then 'grant select, insert, update, delete on %1$s to service_user;'
            else 'grant select on %1$s to service_user;' end),
        (5, k.problem is not null, 'it could not be looked at: %6$s', null),
        (6, k.key is null and k.says_key, 'its comment names a key with a column that it does not have',
          'comment on %2$s %1$s is ''@key …'';'),
        (7, k.key is null and k.kind <> 'r' and k.kind <> 'p', 'a %2$s whose key is not known',
          'comment on %2$s %1$s is ''@key …'';'),
        (8, k.key is null and k.has_heirs, 'other tables inherit from it, and no key of its own holds for their rows',
          'comment on table %1$s is ''@key …'';'),
        (9, k.key is null, 'no primary key',
          'alter table %1$s add primary key (…);'),
        (10, introspected_tables.unprotected <> 'serve' and not k.protected, 'row security is off',
          'alter table %1$s enable row level security; create policy %4$I on %1$s for select using (…);'),
        (11, introspected_tables.unprotected <> 'serve' and k.protected and not k.has_policy, 'row security is on, but there is no policy',
          'create policy %4$I on %1$s for select using (…);')
      ) o (n, applies, reason, remedy)
      where o.applies
      order by o.n
      limit 1
    ) o on true
  ), unreadable as (
    -- Served tables are granted as they are served.
    select c.relation, string_agg(c.reads::regclass::text, ', ' order by c.reads::regclass::text) as names
    from service_private.caller_reads(array(select j.oid from judged j where j.reason is null)) c
    where not has_any_column_privilege('service_user', c.reads, 'select')
      and not exists (select from judged j where j.oid = c.reads and j.reason is null)
    group by c.relation
  )
  select j.oid, introspected_tables.schema, j.name, j.kind, j.key, j.junction, j.description,
    coalesce(format(j.reason, j.full_name, j.type, null, null, null, j.problem, j.owner),
      'it reads ' || u.names || ', which service_user may not'),
    coalesce(format(j.remedy, j.full_name, j.type, j.name || '_served', j.name || '_read', introspected_tables.schema),
      'grant select on ' || u.names || ' to service_user;')
  from judged j
  left join unreadable u on u.relation = j.oid;
end $$;

comment on function service.introspected_tables(text, text) is
  'The tables and views of a schema: slug, key columns, whether it is a pure junction, and for those that are not served '
  'the reason and the SQL that would change it. unprotected: skip or serve what row security does not protect.';

-- Example: select slug, reason, remedy from service.introspected_tables('public', 'skip') where reason is not null;
