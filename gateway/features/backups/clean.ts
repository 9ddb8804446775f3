/** Drops everything in a database but its extensions: one may need a superuser to be made again. */
export const CLEAN = `do $clean$
declare
  statement text;
begin
  for statement in
    with systems as (
      select n.oid, n.nspname from pg_catalog.pg_namespace n
      where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'),
    members as (select d.classid, d.objid from pg_catalog.pg_depend d where d.deptype = 'e')
    select s.text from (
      select 1, format('drop event trigger if exists %I', e.evtname)
      from pg_catalog.pg_event_trigger e
      where pg_catalog.pg_has_role(e.evtowner, 'usage')
        and ('pg_event_trigger'::regclass, e.oid) not in (select classid, objid from members)
      union all
      select 2, format('drop publication if exists %I', p.pubname) from pg_catalog.pg_publication p
      union all
      select 3, format('drop schema if exists %I cascade', n.nspname) from systems n
      where n.nspname <> 'public' and not exists (select from pg_catalog.pg_extension e where e.extnamespace = n.oid)
        and ('pg_namespace'::regclass, n.oid) not in (select classid, objid from members)
      union all
      select case when c.relkind in ('r', 'p') then 4 else 5 end, format('drop %s if exists %I.%I cascade', case c.relkind
        when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'f' then 'foreign table'
        when 'c' then 'type' else 'table' end, n.nspname, c.relname)
      from pg_catalog.pg_class c join systems n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
        and ('pg_class'::regclass, c.oid) not in (select classid, objid from members)
      union all
      select 6, format('drop routine if exists %I.%I(%s) cascade', n.nspname, p.proname,
        pg_catalog.pg_get_function_identity_arguments(p.oid))
      from pg_catalog.pg_proc p join systems n on n.oid = p.pronamespace
      where ('pg_proc'::regclass, p.oid) not in (select classid, objid from members)
      union all
      select 7, format('drop type if exists %I.%I cascade', n.nspname, t.typname)
      from pg_catalog.pg_type t join systems n on n.oid = t.typnamespace
      where t.typtype in ('e', 'd', 'r') and ('pg_type'::regclass, t.oid) not in (select classid, objid from members)
      union all
      select 8, format('select lo_unlink(%s)', l.oid) from pg_catalog.pg_largeobject_metadata l) s (place, text)
    order by s.place
  loop
    execute statement;
  end loop;
end $clean$;`;
