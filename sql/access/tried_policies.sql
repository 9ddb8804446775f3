create or replace function service_private.tried_policies(relation oid, operation text)
  returns table (name text, origin text, permissive boolean, command text, clause text, expression text, laid_out text)
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select p.polname::text, service_private.policy_origin(p.oid),
    p.polpermissive, asked.command, asked.clause, pg_get_expr(written.tree, p.polrelid), pg_get_expr(written.tree, p.polrelid, true)
  from service_private.tried_commands(tried_policies.operation) asked
  join pg_policy p on p.polrelid = tried_policies.relation
    and p.polcmd in ('*', case asked.command when 'select' then 'r' when 'insert' then 'a' when 'update' then 'w' else 'd' end)
  cross join lateral (
    select case when asked.clause = 'check' and asked.command <> 'select' then coalesce(p.polwithcheck, p.polqual) else p.polqual end
  ) written (tree)
  where exists (select from unnest(p.polroles) r (role) where r.role = 0 or pg_has_role('service_user', r.role, 'usage'))
  order by asked.n, not p.polpermissive, p.polname;
end;

comment on function service_private.tried_policies(oid, text) is
  'The policies that a request is asked by, one row for each of service_private.tried_commands. expression: as PostgreSQL writes it, null '
  'for one that lets all pass; laid_out: the same for readers.';
