-- The longest first: the index looks for this one, the rest is compared.
create or replace function service_private.search_terms(text text) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg(t.term order by length(t.term) desc, t.term), '{}')
  from (select distinct coalesce(m[1], m[2]) as term from regexp_matches(text, '"([^"]*)"|(\S+)', 'g') m) t
  where trim(t.term) <> '';
end;

comment on function service_private.search_terms(text) is 'The words and quoted phrases of a search text, each once, the longest first.';

grant execute on function service_private.search_terms(text) to service_user;
