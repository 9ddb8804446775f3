-- A view that runs as its caller reads its tables as that caller, and so do the policies of the tables that it reads.
-- No nested loops, as in service_private.introspected_relations.
create or replace function service_private.caller_reads(relations oid[]) returns table (relation oid, reads oid)
  language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off
begin atomic
  with recursive rule (relation, classid, objid) as materialized (
    select w.ev_class, 'pg_rewrite'::regclass, w.oid
    from pg_rewrite w join pg_class c on c.oid = w.ev_class and c.relkind = 'v' and service_private.runs_as_caller(c.reloptions)
    union all
    select p.polrelid, 'pg_policy'::regclass, p.oid
    from pg_policy p join pg_class c on c.oid = p.polrelid and c.relrowsecurity
    where p.polcmd in ('r', '*') and p.polroles && array[0::oid, (select r.oid from pg_roles r where r.rolname = 'service_user')]
  ), step (relation, reads) as materialized (
    select distinct r.relation, t.oid
    from rule r
    join pg_depend d on d.classid = r.classid and d.objid = r.objid and d.refclassid = 'pg_class'::regclass
    join pg_class t on t.oid = d.refobjid and t.relkind in ('r', 'p', 'v', 'm', 'f')
  ), reading (relation, reads) as (
    select r, r from unnest(caller_reads.relations) r
    union
    select r.relation, s.reads from reading r join step s on s.relation = r.reads
  )
  select r.relation, r.reads from reading r where r.reads <> r.relation;
end;

comment on function service_private.caller_reads(oid[]) is
  'The relations that are read with the rights of the reader of one of these tables and views: tables below views with security_invoker, '
  'and those in the policies for reading.';
