create or replace function service_private.audited_policies()
  returns table (
    oid oid, relation oid, full_name text, kind "char", target jsonb, name text, operation "char", permissive boolean, roles oid[],
    applies boolean, readable boolean, writable boolean, using_clause text, check_clause text, origin text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select p.oid, p.polrelid, r.full_name, r.kind, r.target || jsonb_build_object('policy', p.polname), p.polname::text, p.polcmd,
    p.polpermissive, p.polroles, r.protected and p.polroles && array(select e.oid from service_private.audit_exposed_roles() e),
    r.readable, r.writable, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid),
    service_private.policy_origin(p.oid)
  from pg_policy p
  join service_private.audited_relations() r on r.oid = p.polrelid;
end $$;

comment on function service_private.audited_policies() is
  'The policies that service.audit() looks at, as PostgreSQL writes them. applies: row security is on and it is for a role that requests '
  'have; origin: what a generated one was made from.';
