create or replace function service_private.prepared_search(collection text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  parameter text := '$' || (shape -> 'search' ->> 'param');
  block jsonb;
begin
  if not shape ? 'search' then
    return '{}';
  elsif not service_private.is_ranked(collection, shape) then
    return array[format('service_private.search_patterns(%s) as patterns', parameter)];
  elsif shape ? 'distinct' then
    perform service.fail(400, 'DISTINCT_NOT_APPLICABLE', '"distinct" cannot be combined with a ranked "searchString".',
      jsonb_build_object('parameter', 'searchString'));
  end if;
  block := service_private.readable_search(collection, roles);
  return service_private.search_context(block, parameter)
    || case when block ? 'finder' then array[format('%s(%s) as found', block ->> 'finder', parameter)] else '{}' end
    || case when (shape -> 'search' ->> 'explain')::boolean then array[
      format('service_private.search_query(%L::regconfig, %s, false) as any_query', block ->> 'config', parameter),
      format('service_private.search_substrings(%s) as any_pattern',
        service_private.search_folded(format('translate(%s, ''"'', '' '')', parameter), block))] else '{}' end;
end $$;

comment on function service_private.prepared_search(text, jsonb, text[]) is
  'SQL text, as columns of ctx, of what a search works out once: the patterns of one for substrings, or what a ranked one compares '
  'rows with; none without a search. GW400 DISTINCT_NOT_APPLICABLE for distinct with a ranked search.';
