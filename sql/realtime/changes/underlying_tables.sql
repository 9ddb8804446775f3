-- A statement that names a table fires the triggers of that table alone, not those of its partitions or of what it is one of; all of
-- them count. Functions with a body in SQL's own form say what they read, others do not (a slow look at everything finds that).
-- The steps are found as one set and then joined, because a view of a view of 1,000 others leads to half a million of them: 1 s, where
-- a look into the catalog for each took 4 s. No nested loops, as in service_private.introspected_relations.
create or replace function service_private.underlying_tables(relations oid[]) returns table (root oid, relation oid, same boolean)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off set enable_nestloop = off
begin atomic
  with recursive step (fromclass, fromid, classid, objid, same) as materialized (
    select distinct 'pg_class'::regclass::oid, h.relation, 'pg_class'::regclass::oid, h.kin, true
    from pg_inherits i
    cross join lateral (values (i.inhparent, i.inhrelid), (i.inhrelid, i.inhparent)) h (relation, kin)
    union all
    select distinct e.fromclass, e.fromid, d.refclassid, d.refobjid, false
    from (
      select 'pg_class'::regclass::oid, w.ev_class, 'pg_rewrite'::regclass::oid, w.oid from pg_rewrite w where w.ev_type = '1'
      union all
      select 'pg_class'::regclass, p.polrelid, 'pg_policy'::regclass, p.oid from pg_policy p where p.polcmd in ('r', '*')
      union all
      select 'pg_proc'::regclass, p.oid, 'pg_proc'::regclass, p.oid from pg_proc p where p.oid >= 16384
    ) e (fromclass, fromid, classid, objid)
    join pg_depend d on d.classid = e.classid and d.objid = e.objid
    left join pg_class c on d.refclassid = 'pg_class'::regclass and c.oid = d.refobjid
    left join pg_proc p on d.refclassid = 'pg_proc'::regclass and p.oid = d.refobjid
    where d.refobjid <> e.fromid and coalesce(c.relnamespace, p.pronamespace) not in (
      'pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'service'::regnamespace, 'service_private'::regnamespace)
  ), reached (root, classid, objid, same) as (
    select r.relation, 'pg_class'::regclass::oid, r.relation, true from unnest(underlying_tables.relations) r (relation)
    union
    select r.root, s.classid, s.objid, s.same and r.same
    from reached r
    join step s on s.fromclass = r.classid and s.fromid = r.objid
  )
  select r.root, r.objid, bool_and(r.same) from reached r
  join pg_class c on r.classid = 'pg_class'::regclass and c.oid = r.objid and c.relkind in ('r', 'p', 'f', 'm')
  group by r.root, r.objid;
end;

comment on function service_private.underlying_tables(oid[]) is
  'The tables that a read of each of these tables and views reads: itself, with its partitions and what it is one of (same), and, by '
  'what the catalog knows, those beneath views and in the policies of row security.';
