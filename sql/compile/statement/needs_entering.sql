-- The executor prunes partitions when it starts, before it runs anything, with the stable functions evaluated then: a
-- bare call in a policy or a view would see the caller of no request. Inside (select …) it waits. Everything that the
-- statement reads counts, through policies and views too: from a policy that says "not exists" pruned partitions
-- would open rows, and one that equates its column with a partition's prunes there.
create or replace function service_private.needs_entering(statement text) returns boolean
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from pg_class c where c.relkind = 'p') then
    return false;
  end if;
  return (
    with recursive named as (
      select c.schema_name, c.table_name from service.collections c
      union
      select r.junction_schema, r.junction_table from service.relations r where r.junction_table is not null
    ), reads (oid) as (
      select to_regclass(format('%I.%I', n.schema_name, n.table_name))::oid
      from named n
      where position(format('%I.%I', n.schema_name, n.table_name) in needs_entering.statement) > 0
      union
      -- So is one that is called.
      select c.oid
      from pg_proc f
      join pg_language l on l.oid = f.prolang and l.lanname = 'sql'
      join pg_namespace n on n.oid = f.pronamespace and n.nspname <> 'pg_catalog'
      join pg_class c on c.relkind = 'p'
      where f.proretset and position(format('%I.%I(', n.nspname, f.proname) in needs_entering.statement) > 0
      union
      select coalesce(partitioned.oid, d.refobjid)
      from reads r
      join (
        select 'pg_policy'::regclass as classid, p.oid as objid, p.polrelid as relation from pg_policy p
        union all
        select 'pg_rewrite'::regclass, w.oid, w.ev_class from pg_rewrite w
      ) rule on rule.relation = r.oid
      join pg_depend d on d.classid = rule.classid and d.objid = rule.objid
      -- A SQL function in FROM is expanded into the query, and its text may name any table.
      left join pg_proc f on d.refclassid = 'pg_proc'::regclass and f.oid = d.refobjid and f.proretset
        and f.prolang = (select l.oid from pg_language l where l.lanname = 'sql')
      left join pg_class partitioned on f.oid is not null and partitioned.relkind = 'p'
      where d.refclassid = 'pg_class'::regclass or partitioned.oid is not null
    ), expression (text) as (
      select pg_get_expr(p.polqual, p.polrelid) from reads r join pg_policy p on p.polrelid = r.oid
      union all
      select pg_get_viewdef(c.oid) from reads r join pg_class c on c.oid = r.oid and c.relkind = 'v'
    ), call (name) as (
      -- Without the (select …) that have no FROM: those are evaluated when they are first needed.
      select trim('"' from m[1])
      from expression e,
        regexp_matches(
          regexp_replace(e.text, '\( SELECT ((?!\sFROM\s)[^()]|\(([^()]|\(([^()]|\([^()]*\))*\))*\))*\)', '', 'g'),
          '("[^"]+"|[\w$]+)\(', 'g') m
    )
    select exists (select from reads r join pg_class c on c.oid = r.oid and c.relkind = 'p')
      and exists (
        select from call join pg_proc f on f.proname = call.name
        where f.provolatile = 's' and (f.pronamespace <> 'pg_catalog'::regnamespace or f.proname = 'current_setting')));
end $$;

comment on function service_private.needs_entering(text) is
  'Whether a compiled statement must run in a transaction that has entered before: it reads a partitioned table, itself or through '
  'policies and views, and one of those calls a stable function of its own (service.uid() …) outside (select …).';
