-- A column that is read as another type with the same bytes is still that column.
create or replace function service_private.join_equations(jointree jsonb)
  returns table (relation integer, attnum smallint, operator oid, collated oid, known_first integer[])
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select (e.own ->> 'varno')::integer, (e.own ->> 'varattno')::smallint, (p.node ->> 'opno')::oid, (p.node ->> 'inputcollid')::oid,
      p.known_first || case e.other ->> 'node' when 'VAR' then array[(e.other ->> 'varno')::integer] else '{}' end
    from service_private.join_parts(jointree) p
    cross join lateral (
      select array_agg(case a.node ->> 'node' when 'RELABELTYPE' then a.node -> 'arg' else a.node end order by a.n)
      from jsonb_array_elements(case p.node ->> 'node' when 'OPEXPR' then p.node -> 'args' end) with ordinality a (node, n)
    ) o (sides)
    cross join lateral (values (o.sides[1], o.sides[2]), (o.sides[2], o.sides[1])) e (own, other)
    where e.own ->> 'node' = 'VAR' and e.own ->> 'varlevelsup' = '0'
      and (e.other ->> 'node' = 'CONST' or (e.other ->> 'node' = 'VAR' and e.other ->> 'varlevelsup' = '0'));
end $$;

comment on function service_private.join_equations(jsonb) is
  'The conditions of service_private.join_parts that compare a column with a constant or another column, once for each column: '
  'its relation and number, the operator (pg_operator) and its collation, and what must be known before it says anything of the column.';
