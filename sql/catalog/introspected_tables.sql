-- Every table and view of the schema with what decides whether it is served. One row each; reason is null for those
-- that are. Here and in what builds on it everything is joined as sets: with 2,000 tables a function call or a
-- subquery for each table or column took 25 seconds, the joins take one.
create or replace function service.introspected_tables(schema text, unprotected text) returns setof service.introspected_table
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with relation as (
    select c.oid, c.relname::text as name, c.relkind, c.relrowsecurity, j.oid is not null as junction, d.description,
      case c.relkind when 'v' then service.view_key(c.oid) else p.conkey end as key,
      exists (select from pg_policy p where p.polrelid = c.oid) as has_policy,
      case c.relkind when 'v' then service.runs_as_caller(c.reloptions) end as invoker
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
    left join pg_description d on d.classoid = 'pg_class'::regclass and d.objoid = c.oid and d.objsubid = 0
    left join service.junctions(introspected_tables.schema) j (oid) on j.oid = c.oid
    where n.nspname = introspected_tables.schema
      and c.relkind in ('r', 'p', 'v')
      and not c.relispartition
      and c.relname not like 'drizzle\_%'
      -- What an extension brought belongs to it.
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  )
  select r.oid, introspected_tables.schema, r.name, r.relkind, r.key, r.junction, r.description,
    case
      when r.name in ('collections', '_batch') then 'its name is taken by a route'
      when r.relkind = 'v' and not r.invoker then 'a view that runs as its owner, past row security'
      when r.key is null and r.relkind = 'v' then 'a view whose key is not known'
      when r.key is null then 'no primary key'
      when r.relkind <> 'v' and introspected_tables.unprotected <> 'serve' and not r.relrowsecurity then 'row security is off'
      when r.relkind <> 'v' and introspected_tables.unprotected <> 'serve' and not r.has_policy then 'row security is on, but there is no policy'
    end,
    case
      when r.name in ('collections', '_batch') then format('alter table %I.%I rename to …;', introspected_tables.schema, r.name)
      when r.relkind = 'v' and not r.invoker then format('alter view %I.%I set (security_invoker = on);', introspected_tables.schema, r.name)
      when r.key is null and r.relkind = 'v' then format('comment on view %I.%I is ''@key id'';', introspected_tables.schema, r.name)
      when r.key is null then format('alter table %I.%I add primary key (…);', introspected_tables.schema, r.name)
      when not r.relrowsecurity then format('alter table %1$I.%2$I enable row level security; create policy %3$I on %1$I.%2$I for select using (…);', introspected_tables.schema, r.name, r.name || '_read')
      else format('create policy %3$I on %1$I.%2$I for select using (…);', introspected_tables.schema, r.name, r.name || '_read')
    end
  from relation r;
end;

comment on function service.introspected_tables(text, text) is
  'The tables and views of a schema: slug, key columns, whether it is a pure junction, and for those that are not served the reason and the SQL that would change it. unprotected: skip or serve tables without row security.';

revoke all on function service.introspected_tables(text, text) from public;
