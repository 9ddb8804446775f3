-- A vector search has its distance instead.
create or replace function service_private.score_columns(collection text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  block jsonb;
begin
  if shape ? 'vector' or not service_private.is_ranked(collection, shape) then
    return '{}';
  end if;
  block := service_private.readable_search(collection, roles);
  return array[format('%s as "_score"', service_private.search_score(block, block ->> 'vector', block ->> 'folded'))]
    || case when (shape -> 'search' ->> 'explain')::boolean
      then array[format('%s as "_matches"', service_private.search_matches(collection, block))] else '{}' end;
end $$;

comment on function service_private.score_columns(text, jsonb, text[]) is
  'SQL text, as a list, of the columns _score and, when asked for, _matches that a ranked search adds to a row t; none for other reads.';
