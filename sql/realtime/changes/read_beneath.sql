-- A statement that names a table fires the triggers of that table alone, not those of its partitions or of what it is one of; all of
-- them count. Functions with a body in SQL's own form say what they read, others do not (a slow look at everything finds that).
create or replace function service.read_beneath(relations oid[]) returns table (root oid, relation oid, same boolean)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  with recursive reached (root, classid, objid, same) as (
    select r.relation, 'pg_class'::regclass::oid, r.relation, true from unnest(read_beneath.relations) r (relation)
    union
    select f.root, next.classid, next.objid, next.same and f.same
    from reached f
    cross join lateral (
      select 'pg_class'::regclass::oid, case i.inhparent when f.objid then i.inhrelid else i.inhparent end, true
      from pg_inherits i
      where f.classid = 'pg_class'::regclass and f.objid in (i.inhparent, i.inhrelid)
      union all
      select d.refclassid, d.refobjid, false
      from (
        select 'pg_rewrite'::regclass::oid, w.oid from pg_rewrite w
        where f.classid = 'pg_class'::regclass and w.ev_class = f.objid and w.ev_type = '1'
        union all
        select 'pg_policy'::regclass, p.oid from pg_policy p
        where f.classid = 'pg_class'::regclass and p.polrelid = f.objid and p.polcmd in ('r', '*')
        union all
        select f.classid, f.objid where f.classid = 'pg_proc'::regclass
      ) e (classid, objid)
      join pg_depend d on d.classid = e.classid and d.objid = e.objid
      left join pg_class c on d.refclassid = 'pg_class'::regclass and c.oid = d.refobjid
      left join pg_proc p on d.refclassid = 'pg_proc'::regclass and p.oid = d.refobjid
      where d.refobjid <> f.objid and coalesce(c.relnamespace, p.pronamespace) not in (
        'pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'service'::regnamespace)
    ) next (classid, objid, same)
  )
  select r.root, r.objid, bool_and(r.same) from reached r
  join pg_class c on r.classid = 'pg_class'::regclass and c.oid = r.objid and c.relkind in ('r', 'p', 'f', 'm')
  group by r.root, r.objid;
end;

comment on function service.read_beneath(oid[]) is
  'The tables that a read of each of these tables and views reads: itself, with its partitions and what it is one of (same), and, by '
  'what the catalog knows, those beneath views and in the policies of row security.';

revoke all on function service.read_beneath(oid[]) from public;
