-- The key of one relation in FROM is the view's when each of its rows stands in it at most once: everything else that is
-- joined is known with the row, by conditions that equate a whole unique index of it with what is known. A group needs
-- to be known only by what it is made of.
-- Nothing else is tried: set operations, functions that return sets, subqueries and full joins prove nothing.
-- Planned once, and for few rows: the planner takes a set from JSON for a thousand, and would read whole catalogs for
-- each view (3 ms for 12).
create or replace function service_private.view_key(view oid, keys jsonb) returns smallint[]
  language plpgsql stable set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  query jsonb := (
    select service_private.node_tree(r.ev_action::text) -> 0
    from pg_rewrite r where r.ev_class = view_key.view and r.ev_type = '1');
begin
  if query ->> 'hasTargetSRFs' = 'true' or query ->> 'setOperations' is not null or query ->> 'groupingSets' is not null then
    return null;
  end if;
  return (
    with recursive relation as materialized (
      select n.n, p.known_first, case r.entry ->> 'rtekind' when '0' then (r.entry ->> 'relid')::oid end as oid
      from service_private.join_parts(query -> 'jointree') p
      cross join lateral (select (p.node ->> 'rtindex')::integer) n (n)
      cross join lateral (select query -> 'rtable' -> (n.n - 1)) r (entry)
      where p.node ->> 'node' = 'RANGETBLREF'
    ), target as materialized (
      select (t.entry ->> 'resno')::smallint as attnum, t.entry ->> 'resjunk' = 'true' as hidden, t.entry -> 'ressortgroupref' as reference,
        case when e.node ->> 'node' = 'VAR' and e.node ->> 'varlevelsup' = '0' then (e.node ->> 'varno')::integer end as relation,
        (e.node ->> 'varattno')::smallint as origin
      from jsonb_array_elements(query -> 'targetList') t (entry)
      cross join lateral (select (t.entry #>> '{expr,varno}')::integer, (t.entry #>> '{expr,varattno}')::integer) v (relation, place)
      -- The grouping expressions of a query are in its range table (PostgreSQL 18).
      cross join lateral (
        select coalesce(query -> 'rtable' -> (v.relation - 1) -> 'groupexprs' -> (v.place - 1), t.entry -> 'expr')
      ) e (node)
    ), equated as materialized (
      select r.n as relation, i.indexrelid as index, i.indnkeyatts as width, k.n as place, e.known_first
      from relation r
      join pg_index i on i.indrelid = r.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
        and not exists (select from pg_inherits h join pg_class c on c.oid = h.inhparent and c.relkind = 'r' where h.inhparent = i.indrelid)
      cross join lateral unnest((string_to_array(i.indkey::text, ' ')::smallint[])[:i.indnkeyatts]) with ordinality k (attnum, n)
      join service_private.join_equations(query -> 'jointree') e on e.relation = r.n and e.attnum = k.attnum
      join pg_opclass f on f.oid = i.indclass[k.n - 1]
      join pg_am m on m.oid = f.opcmethod and m.amname = 'btree'
      -- Equal in the sense of the index, whose collation may tell more apart.
      join pg_amop o on o.amopfamily = f.opcfamily and o.amopopr = e.operator and o.amopstrategy = 3
      where e.collated in (0, i.indcollation[k.n - 1])
        or exists (select from pg_collation c where c.oid = e.collated and c.collisdeterministic)
    ), known (start, relations) as (
      select r.n, array[r.n] from relation r where r.known_first = '{}'
      union all
      select k.start, k.relations || next.relation
      from known k
      cross join lateral (
        select e.relation
        from equated e
        where not e.relation = any (k.relations) and e.known_first <@ k.relations
        group by e.relation, e.index, e.width
        having count(distinct e.place) = e.width
        limit 1
      ) next
    ), needed (relations) as (
      select case jsonb_typeof(query -> 'groupClause')
        when 'array' then (
          -- An expression leads to 0, which is no relation.
          select array_agg(coalesce(t.relation, 0))
          from jsonb_array_elements(query -> 'groupClause') g join target t on t.reference = g -> 'tleSortGroupRef')
        else (select array_agg(r.n) from relation r) end
    )
    select shown.key
    from needed n
    join known k on k.relations @> n.relations
    join relation r on r.n = k.start
    cross join lateral (
      select array(
        select k.attnum::smallint
        from jsonb_array_elements_text(case jsonb_typeof(keys -> r.oid::text) when 'array' then keys -> r.oid::text end)
          with ordinality k (attnum, n)
        order by k.n)
    ) stored (key)
    cross join lateral (
      select array_agg(t.attnum order by c.n)
      from unnest(stored.key) with ordinality c (attnum, n)
      cross join lateral (select min(t.attnum) from target t where t.relation = r.n and t.origin = c.attnum and not t.hidden) t (attnum)
      where t.attnum is not null
    ) shown (key)
    where cardinality(shown.key) = cardinality(stored.key)
    order by cardinality(shown.key), r.n
    limit 1);
end $$;

comment on function service_private.view_key(oid, jsonb) is
  'The key columns of a view as attribute numbers, where they are proved: the whole key of a relation that it reads, '
  'of which each row stands in it at most once; else null. keys: of the relations that it reads, by their oid.';
