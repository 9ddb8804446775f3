create or replace function service.audit_reach()
  returns table (id text, severity text, target jsonb, detail text, fix text)
  language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
begin
  return query
  select 'policy-role-unreachable', null::text, jsonb_build_object('schema', n.nspname, 'table', c.relname, 'policy', u.policy),
    format('%I on %s is for %s. The fix makes it one for everybody that asks the caller''s claims for these.',
      u.policy, u.table_name, u.roles),
    u.rewriting
  from service.unreachable_policies() u
  join pg_class c on c.oid = u.table_name::regclass
  join pg_namespace n on n.oid = c.relnamespace;
end $$;

comment on function service.audit_reach() is
  'The part of service.audit() about roles that requests do not have (service.audit_tables says what is returned).';

-- Example: select severity, target, detail, fix from service.audit_reach();
