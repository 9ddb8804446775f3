-- A misspelt gate would leave a function open, so an unknown tag is a problem.
create or replace function service_private.endpoint_tags(comment text,
  out is_endpoint boolean, out is_public boolean, out roles text[], out scope text, out description text, out problem text)
  language plpgsql immutable parallel safe as $$
declare
  tag record;
begin
  is_endpoint := false;
  is_public := false;
  for tag in
    select rtrim(m.parts[1], '.,;:') as name, btrim(m.parts[2], E' \t\r\n.;') as words
    from regexp_matches(comment, '(?<!\S)@(\S*)((?:(?!\s@)[^\n])*)', 'g') m (parts)
  loop
    case tag.name
      when 'endpoint' then is_endpoint := true;
      when 'public' then is_public := true;
      when 'roles' then
        roles := roles || array(select btrim(r) from string_to_table(tag.words, ',') r where btrim(r) <> '');
        problem := coalesce(problem, case when roles = '{}' then '@roles names no role' end);
      when 'scope' then
        problem := coalesce(problem, case when scope is not null or tag.words !~ '^\S+$' then '@scope names one scope' end);
        scope := tag.words;
      else
        problem := coalesce(problem, format('its comment has an unknown @%s', tag.name));
    end case;
  end loop;
  if is_public and (roles is not null or scope is not null) then
    problem := coalesce(problem, '@public opens it to every caller, @roles and @scope do not');
  end if;
  description := nullif(btrim(regexp_replace(
    regexp_replace(comment, '(?<!\S)@(roles|scope)\M(?:(?!\s@)[^\n])*', '', 'g'),
    '(?<!\S)@(endpoint|public)\M', '', 'g'), E' \t\r\n.,;:'), '');
end $$;

comment on function service_private.endpoint_tags(text) is
  'The comment of a function read: whether it is an endpoint (@endpoint), open to every caller (@public), the roles of which a caller '
  'needs one (@roles a, b; null: any), the scope that a caller needs (@scope x), what else it says, and the first problem of the tags.';
