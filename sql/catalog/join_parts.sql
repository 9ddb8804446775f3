-- The nullable side of an outer join, its conditions included, says something about a row only once the other side is
-- known. PL/pgSQL, which keeps the plan: it is called once a view.
create or replace function service_private.join_parts(jointree jsonb) returns table (node jsonb, known_first integer[])
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  return query with recursive part (node, known_first) as (
    select join_parts.jointree, '{}'::integer[]
    union all
    select below.node, p.known_first || below.known_first
    from part p
    cross join lateral (
      select
        array(select (n #>> '{}')::integer from jsonb_path_query(p.node -> 'larg', '$.** ? (@.node == "RANGETBLREF").rtindex') n),
        array(select (n #>> '{}')::integer from jsonb_path_query(p.node -> 'rarg', '$.** ? (@.node == "RANGETBLREF").rtindex') n)
    ) relations ("left", "right")
    -- 1 a left join, 2 a full one, 3 a right one.
    cross join lateral (
      select case when p.node ->> 'jointype' in ('1', '2') then relations."left" else '{}' end,
        case when p.node ->> 'jointype' in ('2', '3') then relations."right" else '{}' end
    ) before ("right", "left")
    cross join lateral (
      values (p.node -> 'larg', before."left"), (p.node -> 'rarg', before."right"), (p.node -> 'quals', before."left" || before."right")
      union all
      select n, '{}' from jsonb_path_query(p.node, '$.fromlist[*]') n
      union all
      select n, '{}' from jsonb_path_query(p.node, '$ ? (@.boolop == "and").args[*]') n
    ) below (node, known_first)
    where jsonb_typeof(below.node) = 'object'
  )
  select p.node, p.known_first from part p where p.node ->> 'node' not in ('FROMEXPR', 'JOINEXPR');
end $$;

comment on function service_private.join_parts(jsonb) is
  'The relations (RANGETBLREF) and the conditions that all hold of a query''s FROM and WHERE (service_private.node_tree), '
  'each with the relations whose row must be known before it says anything.';
