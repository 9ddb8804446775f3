-- PL/pgSQL keeps its plan from one request to the next; as an SQL function it would be planned for each.
create or replace function service_private.key_parameters(key text, pattern text, names text[]) returns jsonb
  language plpgsql immutable as $$
declare
  groups constant text[] := regexp_match(key, pattern);
begin
  return case when groups is not null then case when names = '{}' then '{}'::jsonb else jsonb_object(names, groups) end end;
end $$;

comment on function service_private.key_parameters(text, text, text[]) is
  'The segments of a key for the names of a service_private.key_pattern, {name: segment}; null where the key does not match.';
