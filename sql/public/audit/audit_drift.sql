-- service_private.plan_policies() finds the differences; here they are only classified.
create or replace function service.audit_drift()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  with live as materialized (
    select format('%I.%I.%I', n.nspname, c.relname, p.polname) as name, format('%I on %I.%I', p.polname, n.nspname, c.relname) as said,
      jsonb_build_object('schema', n.nspname, 'table', c.relname, 'policy', p.polname) as target, p.polpermissive as permissive
    from pg_policy p
    join pg_class c on c.oid = p.polrelid
    join pg_namespace n on n.oid = c.relnamespace
  ), step as (
    select s.target as name, s.statement, s.verdict, s.detail, s.remedy, l.said, l.target, l.permissive,
      starts_with(split_part(coalesce(s.remedy, s.statement), 'create policy ' || l.said, 2), ' as restrictive') as wanted_restrictive
    from service_private.plan_policies() s
    left join live l on l.name = s.target
  )
  select case when s.verdict = 'report' and s.remedy is null then 'policy-unexpected'
      when s.remedy is not null and s.permissive = s.wanted_restrictive then 'policy-mode-mismatch' else 'policy-drift' end,
    null::text, coalesce(s.target, jsonb_build_object('policy', s.name)),
    case when s.target is null then format('%s is missing: %s', s.name, s.detail) else format('%s: %s', s.said, s.detail) end,
    coalesce(s.remedy, s.statement, format('drop policy %s', s.said)) || ';'
  from step s;
end $$;

comment on function service.audit_drift() is
  'The part of service.audit() about policies that are not those of the collection files (service.audit_tables says what is returned).';

-- Example: select severity, target, detail, fix from service.audit_drift();
