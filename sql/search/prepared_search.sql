create or replace function service.prepared_search(collection text, shape jsonb, roles text[]) returns text[]
  language plpgsql stable as $$
declare
  parameter text := '$' || (shape -> 'search' ->> 'param');
  block jsonb;
begin
  if not shape ? 'search' then
    return '{}';
  elsif not service.is_ranked(collection, shape) then
    return array[format('service.search_patterns(%s) as patterns', parameter)];
  elsif shape ? 'distinct' then
    perform service.fail(400, 'DISTINCT_NOT_APPLICABLE', '"distinct" cannot be combined with a ranked "searchString".',
      jsonb_build_object('parameter', 'searchString'));
  end if;
  block := service.readable_search(collection, roles);
  return service.search_context(block, parameter)
    || case when block ? 'finder' then array[format('%s(%s) as found', block ->> 'finder', parameter)] else '{}' end
    || case when (shape -> 'search' ->> 'explain')::boolean then array[
      format('service.search_query(%L::regconfig, %s, false) as any_query', block ->> 'config', parameter),
      format('service.search_substrings(%s) as any_pattern',
        service.search_folded(format('translate(%s, ''"'', '' '')', parameter), block))] else '{}' end;
end $$;

comment on function service.prepared_search(text, jsonb, text[]) is
  'SQL text, as columns of ctx, of what a search works out once: the patterns of one for substrings, or what a ranked one compares '
  'rows with; none without a search. GW400 DISTINCT_NOT_APPLICABLE for distinct with a ranked search.';

revoke all on function service.prepared_search(text, jsonb, text[]) from public;
