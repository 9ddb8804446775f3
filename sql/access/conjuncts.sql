-- PostgreSQL puts each AND of its own text between parentheses, so a list of them ends where its parentheses do. Texts and quoted names
-- are one token each.
create or replace function service_private.conjuncts(expression text) returns text[]
  language sql immutable parallel safe
begin atomic
  with token as (
    select t.n, t.parts[1] as text,
      sum(case t.parts[1] when '(' then 1 when ')' then -1 else 0 end) over (order by t.n) as depth
    from regexp_matches(conjuncts.expression, $r$('(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|[^'"()\s]+|\s+)$r$, 'g') with ordinality t (parts, n)
  ), list as (
    -- Parentheses around the whole do not count.
    select coalesce(min(t.depth) filter (where t.n < (select max(n) from token)), 0) as depth from token t
  ), numbered as (
    select t.n, t.text, t.depth, l.depth as base,
      count(*) filter (where t.text = 'AND' and t.depth = l.depth) over (order by t.n) as part
    from token t cross join list l
  ), part as (
    select p.part, string_agg(p.text, '' order by p.n) as text
    from numbered p
    where not (p.text = 'AND' and p.depth = p.base)
      -- The outer parentheses, of which the last closes below the base.
      and not (p.base > 0 and ((p.text = '(' and p.n <= p.base and p.depth <= p.base) or (p.text = ')' and p.depth < p.base)))
    group by p.part
  )
  select array_agg(trim(p.text, E' \n') order by p.part) from part p;
end;

comment on function service_private.conjuncts(text) is
  'The conditions that an expression, as pg_get_expr writes it, joins with AND: itself where it joins none.';
