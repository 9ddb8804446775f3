create or replace function service_private.search_substrings(text text) returns text[]
  language sql immutable parallel safe
begin atomic
  select coalesce(array_agg('%' || regexp_replace(t.term, '([%_\\])', '\\\1', 'g') || '%' order by t.n), '{}')
  from unnest(service_private.search_terms(search_substrings.text)) with ordinality t (term, n);
end;

comment on function service_private.search_substrings(text) is
  'The LIKE patterns of a search text, one a word or quoted phrase, the longest first.';

grant execute on function service_private.search_substrings(text) to service_user;
