create or replace function service_private.search_folded(expression text, block jsonb) returns text
  language sql immutable parallel safe
  return format(case when (block ->> 'folds')::boolean then 'lower(service.unaccented(%s))' else 'lower(%s)' end, expression);

comment on function service_private.search_folded(text, jsonb) is
  'SQL text of a text as substrings and trigrams of a search block compare it: in lower case, without accents where the block '
  'folds them.';
