-- A view reads as its owner, and a view below it without security_invoker as that one's owner: so everything below
-- counts, except what a view that runs as its caller reads. No nested loops, as in
-- service_private.introspected_relations.
create or replace function service.audit_views()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off set enable_nestloop = off as $$
#variable_conflict use_column
begin
  return query
  with recursive step (relation, reads) as materialized (
    select distinct w.ev_class, d.refobjid
    from pg_rewrite w
    join pg_class v on v.oid = w.ev_class and v.relkind = 'v'
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    where d.refobjid <> w.ev_class
  ), view as materialized (
    select r.* from service_private.audited_relations() r where r.kind = 'v' and r.readable
      and not service_private.runs_as_caller(r.options)
  ), reading (view, reads) as (
    select v.oid, s.reads from view v join step s on s.relation = v.oid
    union
    select g.view, s.reads from reading g join step s on s.relation = g.reads
  ), below as (
    select g.view,
      string_agg(t.oid::regclass::text, ', ' order by t.oid::regclass::text) filter (where t.relrowsecurity) as protected,
      string_agg(t.oid::regclass::text, ', ' order by t.oid::regclass::text)
        filter (where not t.relrowsecurity and not has_any_column_privilege('service_user', t.oid, 'select')) as closed
    from reading g
    join pg_class t on t.oid = g.reads and t.relkind in ('r', 'p', 'f', 'm')
    group by g.view
  )
  select case when b.protected is not null then 'view-bypasses-rls' else 'view-runs-as-owner' end, null::text, v.target,
    format('%s reads %s as its owner, %s.', v.full_name, coalesce(b.protected, b.closed), pg_get_userbyid(v.owner)),
    format('alter view %s set (security_invoker = on);', v.full_name)
  from view v
  join below b on b.view = v.oid
  where b.protected is not null or b.closed is not null
  union all
  select 'matview-bypasses-rls', null, r.target,
    format('Every request reads %s. Serve a view with security_invoker in its place, or keep it for jobs.', r.full_name),
    service_private.exposed_revoke('select', r.full_name)
  from service_private.audited_relations() r
  where r.kind = 'm' and r.readable;
end $$;

comment on function service.audit_views() is 'The part of service.audit() about views (service.audit_tables says what is returned).';

-- Example: select severity, target, detail, fix from service.audit_views();
