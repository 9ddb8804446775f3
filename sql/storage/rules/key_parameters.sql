create or replace function service.key_parameters(key text, pattern text, names text[]) returns jsonb
  language sql immutable
  return (
    select case when names = '{}' then '{}'::jsonb else jsonb_object(names, m.groups) end
    from regexp_match(key, pattern) m (groups)
    where m.groups is not null);

comment on function service.key_parameters(text, text, text[]) is
  'What the names of a service.key_pattern stand for in a key, {name: segment}; null where the key does not match.';

revoke all on function service.key_parameters(text, text, text[]) from public;
