-- PostgreSQL puts each AND of its own text between parentheses, so a list of them ends where its parentheses do. Texts and quoted names
-- are one token each. A loop, since window functions over the tokens take four times as long.
create or replace function service_private.conjuncts(expression text) returns text[]
  language plpgsql immutable parallel safe as $$
declare
  tokens constant text[] := array(
    select m.parts[1]
    from regexp_matches(conjuncts.expression, $r$('(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|\mAND\M|[^'"()A]+|A)$r$, 'g') m (parts));
  depth integer := 0;
  base integer;
  part text := '';
  parts text[] := '{}';
begin
  -- Parentheses around the whole do not count.
  for i in 1 .. cardinality(tokens) - 1 loop
    depth := depth + case tokens[i] when '(' then 1 when ')' then -1 else 0 end;
    base := least(base, depth);
  end loop;
  base := coalesce(base, 0);
  depth := 0;
  for i in 1 .. cardinality(tokens) loop
    depth := depth + case tokens[i] when '(' then 1 when ')' then -1 else 0 end;
    if tokens[i] = 'AND' and depth = base then
      parts := parts || trim(part, E' \n');
      part := '';
    -- The outer parentheses, of which the last closes below the base.
    elsif not (base > 0 and ((tokens[i] = '(' and i <= base and depth <= base) or (tokens[i] = ')' and depth < base))) then
      part := part || tokens[i];
    end if;
  end loop;
  return parts || trim(part, E' \n');
end $$;

comment on function service_private.conjuncts(text) is
  'The conditions that an expression, as pg_get_expr writes it, joins with AND: itself where it joins none.';
