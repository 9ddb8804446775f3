create or replace function service_private.search_context(block jsonb, parameter text) returns text[]
  language plpgsql immutable as $$
declare
  folded text := service_private.search_folded(parameter, block);
begin
  return array[format('service_private.search_query(%L::regconfig, %s, true) as query', block ->> 'config', parameter)]
    || case when (block ->> 'hybrid')::boolean then array[format('service_private.search_substrings(%s) as patterns', folded)] else '{}' end
    || case when (block ->> 'fuzzy')::boolean then array[
      format('service_private.search_terms(%s) as terms', folded),
      format('set_config(''pg_trgm.strict_word_similarity_threshold'', %L, true) as threshold', block ->> 'fuzzyThreshold')]
      else '{}' end;
end $$;

comment on function service_private.search_context(jsonb, text) is
  'SQL text, as columns, of what a ranked search works out once: ctx.query and, as the block says, ctx.patterns and ctx.terms; the '
  'threshold of the operator of pg_trgm is a setting of the transaction.';
