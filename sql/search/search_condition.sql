-- The first pattern and the first term stand alone as well, because an index serves no "all (…)".
create or replace function service_private.search_condition(block jsonb, vector text, folded text) returns text
  language plpgsql immutable as $$
begin
  return service_private.fill($sql$
      (
        <vector> @@ ctx.query
        or (<like?> like ctx.patterns[1] and <like?> like all (ctx.patterns))
        or (<alike?> operator(<trigrams>.%>>) ctx.terms[1] and <alike?> operator(<trigrams>.%>>) all (ctx.terms))
      )
    $sql$,
    'vector', vector,
    'like', case when (block ->> 'hybrid')::boolean then folded end,
    'alike', case when (block ->> 'fuzzy')::boolean then folded end,
    'trigrams', quote_ident(block ->> 'trigrams'));
end $$;

comment on function service_private.search_condition(jsonb, text, text) is
  'SQL text of whether a row is found: its tsvector matches, or in a hybrid search its folded text holds every term, or in a fuzzy '
  'one words like every term.';
