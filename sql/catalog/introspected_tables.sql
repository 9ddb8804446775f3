-- Every table and view of the schema with what decides whether it is served. One row each; reason is null for those
-- that are.
create or replace function service.introspected_tables(schema text, unprotected text)
  returns table (oid oid, slug text, kind "char", key smallint[], junction boolean, reason text, remedy text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  with relation as (
    select c.oid, c.relname::text as name, c.relkind, c.relrowsecurity, obj_description(c.oid, 'pg_class') as description,
      coalesce((select array_agg(k.attnum order by k.n) from pg_constraint p, unnest(p.conkey) with ordinality k (attnum, n)
        where p.conrelid = c.oid and p.contype = 'p'), service.view_key(c.oid)) as key,
      exists (select from pg_policy p where p.polrelid = c.oid) as has_policy,
      coalesce('security_invoker=true' = any (c.reloptions) or 'security_invoker=on' = any (c.reloptions) or 'security_invoker=1' = any (c.reloptions) or 'security_invoker=yes' = any (c.reloptions), false) as invoker
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = introspected_tables.schema
      and c.relkind in ('r', 'p', 'v')
      and not c.relispartition
      and c.relname not like 'drizzle\_%'
      -- What an extension brought belongs to it.
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  )
  select r.oid, r.name, r.relkind, r.key, service.is_junction(r.oid),
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
