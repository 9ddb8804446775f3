-- The first pattern and the first term stand alone as well, because an index serves no "all (…)".
create or replace function service.search_condition(block jsonb, vector text, folded text) returns text
  language sql immutable
  return concat(
    format('(%s @@ ctx.query', vector),
    case when (block ->> 'hybrid')::boolean then format(' or (%1$s like ctx.patterns[1] and %1$s like all (ctx.patterns))', folded) end,
    case when (block ->> 'fuzzy')::boolean then format(' or (%1$s operator(%2$I.%%>>) ctx.terms[1] and %1$s operator(%2$I.%%>>) all (ctx.terms))', folded, block ->> 'trigrams') end,
    ')');

comment on function service.search_condition(jsonb, text, text) is
  'SQL text of whether a row is found: its tsvector matches, or in a hybrid search its folded text holds every term, or in a fuzzy one words like every term.';

revoke all on function service.search_condition(jsonb, text, text) from public;
