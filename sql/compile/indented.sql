-- A line that begins inside quotes is of a name or a value, and stays.
create or replace function service_private.indented(sql_text text, spaces integer) returns text
  language plpgsql immutable parallel safe as $$
declare
  break text := E'\n' || repeat(' ', spaces);
begin
  if spaces = 0 or strpos(sql_text, E'\n') = 0 then
    return sql_text;
  elsif sql_text ~ '^(?:[^''"]|''[^''\n]*''|"[^"\n]*")*$' then
    -- Twenty times as fast: 0.3 ms for 20 KB.
    return replace(sql_text, E'\n', break);
  end if;
  return (
    select string_agg(replace(m[1], E'\n', break) || m[2], '' order by n)
    from regexp_matches(sql_text, '([^''"]*)(''[^'']*''|"[^"]*"|$)', 'g') with ordinality r (m, n));
end $$;

comment on function service_private.indented(text, integer) is
  'SQL text with so many more spaces before each of its lines but the first.';
