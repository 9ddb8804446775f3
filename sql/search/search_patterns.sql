-- Words, and phrases between double quotes; % and _ are what they are.
create or replace function service_private.search_patterns(text text) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg('%' || regexp_replace(coalesce(m[1], m[2]), '([%_\\])', '\\\1', 'g') || '%'), '{}')
  from regexp_matches(text, '"([^"]*)"|(\S+)', 'g') m
  where coalesce(m[1], m[2]) <> '';
end;

comment on function service_private.search_patterns(text) is
  'The LIKE patterns of a search text, one a word or quoted phrase; a row must match every one of them somewhere.';

grant execute on function service_private.search_patterns(text) to service_user;
