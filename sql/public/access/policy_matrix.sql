-- A condition that is the same for every row is asked once a kind of caller, however many policies have it; one that cannot be asked
-- without a row depends on the row.
create or replace function service.policy_matrix(roles text[] default service_private.asked_roles())
  returns table (collection text, operation text, caller text, verdict text, policies text[])
  language plpgsql volatile set jit = off as $$
#variable_conflict use_column
declare
  clauses jsonb;
  conditions text[];
  rows_conditions text[];
  known jsonb;
begin
  -- As a subquery, which PL/pgSQL asks once: one line for each clause of each policy that an operation is asked by.
  select coalesce(jsonb_agg(jsonb_build_object('collection', c.slug, 'operation', o.operation, 'command', p.command, 'clause', p.clause,
      'permissive', p.permissive, 'name', p.name, 'conditions', service_private.conjuncts(coalesce(p.expression, 'true')))), '[]')
  into clauses
  from service.collections c
  cross join (values ('read'), ('create'), ('update'), ('delete')) o (operation)
  cross join lateral service_private.tried_policies(to_regclass(service_private.table_name(c.slug)), o.operation) p
  where c.exposed;
  conditions := array(
    select distinct x.condition
    from jsonb_array_elements(clauses) c, jsonb_array_elements_text(c -> 'conditions') x (condition)
    order by 1);
  rows_conditions := array(
    select conditions[v.n]
    from service_private.verdicts(conditions, '(select) one', '{"uid": "anonymous"}') with ordinality v (verdict, message, n)
    where v.verdict in ('error 42703', 'error 42P01'));
  conditions := array(select x from unnest(conditions) x where x <> all (rows_conditions));
  select coalesce(jsonb_object_agg(k.kind, k.verdicts), '{}') into known
  from (
    select k.kind, jsonb_object_agg(conditions[v.n], v.verdict) as verdicts
    from service_private.caller_kinds(roles) k
    cross join lateral service_private.verdicts(conditions, '(select) one', k.claims) with ordinality v (verdict, message, n)
    group by k.kind) k;

  return query
  with judged as (
    select c ->> 'collection' as collection, c ->> 'operation' as operation, c ->> 'command' as command, c ->> 'clause' as clause,
      (c ->> 'permissive')::boolean as permissive, c ->> 'name' as name, k.kind,
      -- 0 closed, 1 by row, 2 open
      min(case
        when known -> k.kind ->> x.condition = 'true' then 2
        when known -> k.kind ? x.condition then 0
        when k.kind = 'owner' and service_private.owner_of(x.condition) is not null then 2
        when k.kind = 'visitor' and service_private.owner_of(x.condition) is not null then 0
        else 1 end) as opens
    from jsonb_array_elements(clauses) c
    cross join service_private.caller_kinds(roles) k
    cross join lateral jsonb_array_elements_text(c -> 'conditions') x (condition)
    group by c, k.kind
  ), ranked as (
    select j.*, max(j.opens) filter (where j.permissive) over (partition by j.collection, j.operation, j.kind, j.command, j.clause) as most
    from judged j
  ), by_command as (
    select j.collection, j.operation, j.kind, j.command, j.clause,
      least(coalesce(max(j.opens) filter (where j.permissive), 0), coalesce(min(j.opens) filter (where not j.permissive), 2)) as opens,
      array_agg(distinct j.name) filter (where case when j.permissive then j.opens = j.most else j.opens < 2 end) as names
    from ranked j
    group by 1, 2, 3, 4, 5
  ), answered as (
    select c.slug, o.operation, k.n, k.kind, r.relrowsecurity,
      case when not r.relrowsecurity then 2 else min(coalesce(b.opens, 0)) end as opens,
      array(select distinct x.name from jsonb_array_elements(jsonb_agg(b.names) filter (where b.names is not null)) g (names),
        jsonb_array_elements_text(g.names) x (name) order by x.name) as names
    from service.collections c
    join pg_catalog.pg_class r on r.oid = to_regclass(service_private.table_name(c.slug))
    cross join (values ('read'), ('create'), ('update'), ('delete')) o (operation)
    cross join service_private.caller_kinds(roles) k
    cross join lateral service_private.tried_commands(o.operation) t
    left join by_command b on (b.collection, b.operation, b.kind, b.command, b.clause) = (c.slug, o.operation, k.kind, t.command, t.clause)
    where c.exposed
    group by c.slug, o.operation, k.n, k.kind, r.relrowsecurity
  )
  select a.slug, a.operation, a.kind, (array['closed', 'by row', 'open'])[a.opens + 1],
    case when a.relrowsecurity and a.opens > 0 then a.names else '{}' end
  from answered a
  order by a.slug, array_position('{read,create,update,delete}', a.operation), a.n;
end $$;

comment on function service.policy_matrix(text[]) is
  'Returns what policies let each kind of caller do, from the catalog, policies of your own too: one line for each collection, '
  'operation (read, create, update, delete) and caller (visitor, guest, signed in, owner, role NAME, service key). verdict: open '
  '(every row), closed, or by row; policies: those that decide it. owner: the account that a row names, where a policy compares a '
  'column with service.uid(). roles: by default those that policies ask for. A collection without row security is open.';

-- Example: select collection, operation, caller, verdict from service.policy_matrix() where verdict = 'open' and caller = 'visitor';
