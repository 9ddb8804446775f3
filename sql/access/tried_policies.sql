create or replace function service_private.tried_policies(relations oid[], operations text[], for_readers boolean default false)
  returns table (
    relation oid, operation text, name text, permissive boolean, command text, clause text, expression text, origin text, laid_out text)
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  -- Its plan is kept for the session: to make it takes longer than to run it.
  return query
  -- An expression is written once for a policy, not once for each clause.
  with policy as materialized (
    select p.oid, p.polrelid, p.polname::text as name, p.polpermissive, p.polcmd, pg_get_expr(p.polqual, p.polrelid) as qual,
      pg_get_expr(p.polwithcheck, p.polrelid) as withcheck,
      case when for_readers then pg_get_expr(p.polqual, p.polrelid, true) end as laid_qual,
      case when for_readers then pg_get_expr(p.polwithcheck, p.polrelid, true) end as laid_withcheck,
      case when for_readers then service_private.policy_origin(p.oid) end as origin
    from pg_policy p
    where p.polrelid = any (relations)
      and exists (select from unnest(p.polroles) r (role) where r.role = 0 or pg_has_role('service_user', r.role, 'usage'))
  )
  select p.polrelid, o.operation, p.name, p.polpermissive, asked.command, asked.clause,
    case when w.is_check then coalesce(p.withcheck, p.qual) else p.qual end, p.origin,
    case when w.is_check then coalesce(p.laid_withcheck, p.laid_qual) else p.laid_qual end
  from unnest(operations) with ordinality o (operation, n)
  cross join lateral service_private.tried_commands(o.operation) asked
  cross join lateral (select asked.clause = 'check' and asked.command <> 'select') w (is_check)
  join policy p on p.polcmd in ('*', case asked.command when 'select' then 'r' when 'insert' then 'a' when 'update' then 'w' else 'd' end)
  order by o.n, asked.n, not p.polpermissive, p.name;
end $$;

comment on function service_private.tried_policies(oid[], text[], boolean) is
  'The policies of these tables that requests are asked by, one row for each of service_private.tried_commands. expression: as PostgreSQL '
  'writes it, null for one that lets all pass; for_readers: also laid out, and where a generated policy comes from.';
