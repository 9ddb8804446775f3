create or replace function service_private.search_score(block jsonb, vector text, folded text) returns text
  language plpgsql immutable as $$
declare
  is_hybrid boolean := (block ->> 'hybrid')::boolean;
  is_fuzzy boolean := (block ->> 'fuzzy')::boolean;
  rank text := format('ts_rank(%s, ctx.query)', vector);
begin
  if is_hybrid or is_fuzzy then
    rank := service_private.fill('case when <vector> @@ ctx.query then <rank> else <other> end',
      'vector', vector, 'rank', rank, 'other', case when is_hybrid then '0.001' else '0' end);
  end if;
  if is_fuzzy then
    rank := service_private.fill(
      '<rank> + (select coalesce(avg(<trigrams>.strict_word_similarity(term, <folded>)), 0) from unnest(ctx.terms) term)',
      'rank', rank, 'trigrams', quote_ident(block ->> 'trigrams'), 'folded', folded);
  end if;
  return format('(%s)::real', rank);
end $$;

comment on function service_private.search_score(jsonb, text, text) is
  'SQL text of _score: the rank of ts_rank, 0.001 for what only a substring found; a fuzzy search adds how like the terms are (0 to '
  '1, on average).';
