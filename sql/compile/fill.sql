-- The template is cut at its parts before any of them is put in: what is put in is never read as a template.
create or replace function service_private.fill(template text, variadic parts text[]) returns text
  language plpgsql immutable parallel safe as $$
declare
  given jsonb := jsonb_object(parts);
  margin text := substring(template from '^\n*( *)');
  used text[] := '{}';
  lines text[] := '{}';
  line text;
  indentation integer;
  pieces text[];
  place text;
  name text;
  value text;
  is_left_out boolean;
  lacking text;
  wrong text;
begin
  foreach line in array string_to_array(btrim(template, E' \n'), E'\n' || margin) loop
    if strpos(line, '<') > 0 then
      pieces := regexp_split_to_array(line, '<(?=[a-z_]+\??>)');
      indentation := length(line) - length(ltrim(line));
      line := pieces[1];
      is_left_out := false;
      lacking := null;
      for i in 2 .. cardinality(pieces) loop
        place := split_part(pieces[i], '>', 1);
        name := rtrim(place, '?');
        value := given ->> name;
        used := used || name;
        wrong := coalesce(wrong, case when given ? name then null else name end);
        is_left_out := is_left_out or (value is null and place <> name);
        lacking := case when value is null then coalesce(lacking, name) else lacking end;
        line := line || service_private.indented(value, indentation) || substr(pieces[i], length(place) + 2);
      end loop;
      continue when is_left_out;
      wrong := coalesce(wrong, lacking);
    end if;
    lines := lines || line;
  end loop;
  for i in 1 .. cardinality(parts) by 2 loop
    wrong := coalesce(wrong, case when parts[i] = any (used) then null else parts[i] end);
  end loop;
  if wrong is not null then
    raise exception using errcode = 'internal_error',
      message = format('The part <%s> is null, is not given, or is not the template''s.', wrong);
  end if;
  return array_to_string(lines, E'\n');
end $$;

comment on function service_private.fill(text, text[]) is
  'SQL text from a template: each <part> in it replaced by the text that follows its name in parts (name, text, name, text …), '
  'which is put in as it is, further lines indented like the one it stands on. A line with a part <written so?> is left out '
  'when that text is null. The template''s own indentation is taken off. XX000 for a part that is not given, is null without '
  'the question mark, or has no place in the template.';
