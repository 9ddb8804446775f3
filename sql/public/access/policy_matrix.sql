-- A condition that is the same for every row is asked once a kind of caller, however many policies have it; one that cannot be asked
-- without a row depends on the row. The text of a condition is taken apart once, too: most policies of a database are alike.
create or replace function service.policy_matrix(roles text[] default service_private.asked_roles())
  returns table (collection text, operation text, caller text, verdict text, policies text[])
  language plpgsql volatile set jit = off as $$
#variable_conflict use_column
declare
  served jsonb;
  clauses jsonb;
  parts jsonb;
  conditions text[];
  known jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('slug', c.slug, 'relation', r.oid::bigint, 'secured', r.relrowsecurity)), '[]') into served
  from service.collections c
  join pg_catalog.pg_class r on r.oid = to_regclass(service_private.table_name(c.slug))
  where c.exposed;
  select coalesce(jsonb_agg(jsonb_build_object('relation', p.relation::bigint, 'operation', p.operation, 'command', p.command,
      'clause', p.clause, 'permissive', p.permissive, 'name', p.name, 'expression', coalesce(p.expression, 'true'))), '[]') into clauses
  from service_private.tried_policies(
    array(select (s ->> 'relation')::oid from jsonb_array_elements(served) s), '{read,create,update,delete}') p;
  select coalesce(jsonb_agg(jsonb_build_object('expression', e.expression, 'condition', x.condition)), '[]') into parts
  from (select distinct c ->> 'expression' from jsonb_array_elements(clauses) c) e (expression)
  cross join lateral unnest(service_private.conjuncts(e.expression)) x (condition);
  conditions := array(select distinct p ->> 'condition' from jsonb_array_elements(parts) p order by 1);
  conditions := array(
    select conditions[v.n]
    from service_private.verdicts(conditions, '(select) one', '{"uid": "anonymous"}') with ordinality v (verdict, message, n)
    where v.verdict not in ('error 42703', 'error 42P01'));
  select coalesce(jsonb_agg(jsonb_build_object('kind', k.kind, 'condition', conditions[v.n], 'verdict', v.verdict)), '[]') into known
  from service_private.caller_kinds(roles) k
  cross join lateral service_private.verdicts(conditions, '(select) one', k.claims) with ordinality v (verdict, message, n);

  return query
  with kind as materialized (
    select k.n, k.kind from service_private.caller_kinds(roles) k
  ), opened as materialized (
    -- 0 closed, 1 by row, 2 open
    select p.expression, k.kind, min(case
        when n.verdict = 'true' then 2
        when n.verdict is not null then 0
        when k.kind = 'owner' and p.owner is not null then 2
        when k.kind = 'visitor' and p.owner is not null then 0
        else 1 end) as opens
    from (
      select p.*, service_private.owner_of(p.condition) as owner
      from jsonb_to_recordset(parts) p (expression text, condition text)
      offset 0) p
    cross join kind k
    left join jsonb_to_recordset(known) n (kind text, condition text, verdict text) on (n.kind, n.condition) = (k.kind, p.condition)
    group by 1, 2
  ), by_command as (
    select c.relation, c.operation, o.kind, c.command, c.clause,
      coalesce(max(o.opens) filter (where c.permissive), 0) as most, coalesce(min(o.opens) filter (where not c.permissive), 2) as least,
      array_agg(c.name) filter (where c.permissive and o.opens = 2) as open_by,
      array_agg(c.name) filter (where c.permissive and o.opens = 1) as by_row,
      array_agg(c.name) filter (where not c.permissive and o.opens < 2) as narrowed_by
    from jsonb_to_recordset(clauses) c (
      relation bigint, operation text, command text, clause text, permissive boolean, name text, expression text)
    join opened o on o.expression = c.expression
    group by 1, 2, 3, 4, 5
  ), asked as (
    select s.slug, s.relation, s.secured, o.operation, o.n as place, k.n, k.kind, t.commands
    from jsonb_to_recordset(served) s (slug text, relation bigint, secured boolean)
    cross join unnest('{read,create,update,delete}'::text[]) with ordinality o (operation, n)
    cross join lateral (select count(*) from service_private.tried_commands(o.operation)) t (commands)
    cross join kind k
  ), answered as (
    -- A command that no policy is for lets no row pass.
    select b.relation, b.operation, b.kind, count(*) as commands, min(least(b.most, b.least)) as opens,
      jsonb_agg(to_jsonb(case b.most when 2 then b.open_by else b.by_row end || b.narrowed_by)) as names
    from by_command b
    group by 1, 2, 3
  )
  select a.slug, a.operation, a.kind,
    (array['closed', 'by row', 'open'])[1 + case when not a.secured then 2 when r.commands = a.commands then r.opens else 0 end],
    case when a.secured and r.commands = a.commands and r.opens > 0 then array(
      select distinct x.name from jsonb_array_elements(r.names) g (names), jsonb_array_elements_text(g.names) x (name) order by x.name)
    else '{}' end
  from asked a
  left join answered r on (r.relation, r.operation, r.kind) = (a.relation, a.operation, a.kind)
  order by a.slug, a.place, a.n;
end $$;

comment on function service.policy_matrix(text[]) is
  'Returns what policies let each kind of caller do, from the catalog, policies of your own too: one line for each collection, '
  'operation (read, create, update, delete) and caller (visitor, guest, signed in, owner, role NAME, service key). verdict: open '
  '(every row), closed, or by row; policies: those that decide it. owner: the account that a row names, where a policy compares a '
  'column with service.uid(). roles: by default those that policies ask for. A collection without row security is open.';

-- Example: select collection, operation, caller, verdict from service.policy_matrix() where verdict = 'open' and caller = 'visitor';
