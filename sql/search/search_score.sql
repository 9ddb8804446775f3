create or replace function service.search_score(block jsonb, vector text, folded text) returns text
  language sql immutable
  return concat('(',
    case when (block ->> 'hybrid')::boolean or (block ->> 'fuzzy')::boolean
      then format('case when %1$s @@ ctx.query then ts_rank(%1$s, ctx.query) else %2$s end', vector, case when (block ->> 'hybrid')::boolean then '0.001' else '0' end)
      else format('ts_rank(%s, ctx.query)', vector) end,
    case when (block ->> 'fuzzy')::boolean
      then format(' + (select coalesce(avg(%I.strict_word_similarity(term, %s)), 0) from unnest(ctx.terms) term)', block ->> 'trigrams', folded) end,
    ')::real');

comment on function service.search_score(jsonb, text, text) is
  'SQL text of _score: the rank of ts_rank, 0.001 for what only a substring found; a fuzzy search adds how like the terms are (0 to 1, on average).';

revoke all on function service.search_score(jsonb, text, text) from public;
