-- A folder is given with a slash at its end, and is matched without it.
create or replace function service_private.key_pattern(path text) returns table (pattern text, names text[], problem text)
  language plpgsql immutable as $$
declare
  segments constant text[] := string_to_array(path, '/');
  segment text;
  is_last boolean;
begin
  pattern := '';
  names := '{}';
  for i in 1 .. cardinality(segments) loop
    segment := segments[i];
    is_last := i = cardinality(segments);
    problem := coalesce(problem, case
      when segment = '' then 'has a segment that is empty'
      when segment in ('.', '..') then format('has the segment %s, which no key has', segment)
      when segment = '**' and not is_last then 'has ** before its end'
      when segment ~ '^:' and segment !~ '^:[A-Za-z_]\w*$' then format('has %s, and a name is of letters, digits and _', segment)
      when substr(segment, 2) = any (names) and segment ~ '^:' then format('has the name %s twice', segment)
      when segment ~ '\*' and segment not in ('*', '**') then format('has %s, and * stands for a whole segment', segment)
    end);
    pattern := pattern || case
      when segment = '**' then case when i = 1 then '.*' else '(?:/.*)?' end
      else case when i = 1 then '' else '/' end || case
        when segment = '*' then '[^/]+'
        when segment ~ '^:' then '([^/]+)'
        else service_private.literal_pattern(segment) end
    end;
    if segment ~ '^:' then
      names := names || substr(segment, 2);
    end if;
  end loop;
  pattern := '^' || pattern || '/?$';
  problem := coalesce(problem, case when path = '' then 'is empty' end);
  return next;
end $$;

comment on function service_private.key_pattern(text) is
  'A path of keys (segments: a literal, * for one, :name for one that is told, ** at the end for any number, none as well) as a regular '
  'expression with a group for each name, or what is wrong with it.';
