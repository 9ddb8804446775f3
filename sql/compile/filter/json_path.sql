-- Arrows, because an index on (metadata ->> 'country') is found only where the expression is spelled as its own: a plan
-- for these very values puts them in the parameters' place. A whole number is a place in a list or a key, which the
-- arrows tell apart by type and #> by what it finds.
create or replace function service_private.json_path(expression text, path text[]) returns text
  language plpgsql immutable parallel safe as $$
declare
  last constant integer := cardinality(path);
begin
  for n in 1 .. last loop
    if path[n] !~ '^([$#][0-9]+$|\.)' then
      raise exception 'not a hoisted path: %', path;
    end if;
    expression := format(case left(path[n], 1) when '#' then '(%s #>%s array[%s::text])' else '(%s ->%s %s::text)' end,
      expression, case n when last then '>' else '' end,
      case left(path[n], 1) when '.' then quote_literal(substr(path[n], 2)) else '$' || substr(path[n], 2) end);
  end loop;
  return expression;
end $$;

comment on function service_private.json_path(text, text[]) is
  'SQL text of the text leaf under a JSON column, from the segments of a hoisted path (service_private.hoist_field): $2 or #2 (a whole '
  'number) for a parameter, .name for a name.';
