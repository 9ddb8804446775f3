-- The roles of a policy become a condition on the caller's claims, which PostgREST sets as well: so that the policy
-- still works for other users of the database. anon, authenticated and service_role are the values that service.enter
-- sets in role; any other name is a role of the caller's own.
create or replace function service.unreachable_policies()
  returns table (table_name text, policy text, roles text, rewriting text)
  language sql stable set search_path = pg_catalog, pg_temp set jit = off
begin atomic
  select p.polrelid::regclass::text, p.polname::text, array_to_string(r.names, ', '),
    concat(format('alter policy %I on %s to public', p.polname, p.polrelid::regclass),
      case when p.polqual is not null then ' using ' || format(f.form, a.asked, pg_get_expr(p.polqual, p.polrelid)) end,
      case when p.polwithcheck is not null then ' with check ' || format(f.form, a.asked, pg_get_expr(p.polwithcheck, p.polrelid)) end,
      ';')
  from pg_policy p
  join pg_class c on c.oid = p.polrelid
  join pg_namespace n on n.oid = c.relnamespace
  join service.collections s on s.schema_name = n.nspname and s.table_name = c.relname
  cross join lateral (
    select array_agg(r.rolname::text order by r.rolname) as names,
      array_agg(r.rolname::text order by r.rolname) filter (where r.rolname not in ('anon', 'authenticated', 'service_role')) as own
    from pg_roles r where r.oid = any (p.polroles)) r
  cross join lateral (
    select format('(select %s from (values (nullif(current_setting(''request.jwt.claims'', true), '''')::jsonb)) c (claims))',
      concat_ws(' or ', format('c.claims ->> ''role'' = any (%L)', r.names),
        case when r.own is not null then format('c.claims -> ''roles'' ?| %L', r.own) end)) as asked) a
  cross join lateral (
    select case when p.polpermissive then '(%1$s and ' else '(%1$s is not true or ' end || '%2$s)' as form) f
  where not p.polroles && array[0::oid, (select r.oid from pg_roles r where r.rolname = 'service_user')]
  order by 1, 2;
end;

comment on function service.unreachable_policies() is
  'Policies of served tables that can never apply to a request, because they are for roles other than public and service_user, '
  'each with the statement that makes it one for everybody which asks the caller''s claims for those roles.';

-- Example: select * from service.unreachable_policies();
