-- Read in tokens: what stands in a text or a quoted name is no call, and what stands in a query is asked there.
create or replace function service_private.wrapped_calls(expression text) returns text
  language plpgsql immutable strict parallel safe as $$
declare
  call constant text := '(?:service\.(?:uid|roles|jwt|is_anonymous|claim)|auth\.(?:uid|role|roles|jwt|email)|current_setting)'
    '\((?:[^()'']|''(?:[^'']|'''')*'')*\)';
  token text;
  depth integer := 0;
  query_depth integer;
  written text := '';
begin
  if regexp_replace(expression, '\( SELECT ' || call || ' AS \w+\)', '', 'g') !~ ('\m' || call) then
    return expression;
  end if;
  for token in
    select m[1] from regexp_matches(expression,
      '(''(?:[^'']|'''')*''|"(?:[^"]|"")*"|\( SELECT |\m' || call || '|[()]|[\w.]+|[^\w.()''"]+)', 'g') m
  loop
    if token in ('(', '( SELECT ') then
      depth := depth + 1;
      query_depth := case when token = '(' then query_depth else coalesce(query_depth, depth) end;
    elsif token = ')' then
      query_depth := case when query_depth = depth then null else query_depth end;
      depth := depth - 1;
    elsif query_depth is null and token ~ ('^' || call || '$') then
      token := '(select ' || token || ')';
    end if;
    written := written || token;
  end loop;
  return written;
end $$;

comment on function service_private.wrapped_calls(text) is
  'An expression of a policy, as PostgreSQL writes it, with each call that asks for the caller in a query of its own: (select …).';
