create or replace function service.context_columns(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  parameter text := '$' || (shape -> 'search' ->> 'param');
  block jsonb;
begin
  if not shape ? 'search' then
    return '';
  elsif not service.is_ranked(collection, shape) then
    return format(', service.search_patterns(%s) as patterns', parameter);
  elsif shape ? 'distinct' then
    perform service.fail(400, 'DISTINCT_NOT_APPLICABLE', '"distinct" cannot be combined with a ranked "searchString".', jsonb_build_object('parameter', 'searchString'));
  end if;
  block := service.readable_search(collection, roles);
  return concat(', ', service.search_context(block, parameter),
    ', ' || (block ->> 'finder') || '(' || parameter || ') as found',
    case when (shape -> 'search' ->> 'explain')::boolean then format(', service.search_query(%L::regconfig, %s, false) as any_query, service.search_substrings(%s) as any_pattern',
      block ->> 'config', parameter, service.search_folded(format('translate(%s, ''"'', '' '')', parameter), block)) end);
end $$;

comment on function service.context_columns(text, jsonb, text[]) is
  'SQL text of what a statement works out once beside entering: the patterns of a search, or what a ranked search compares rows with. GW400 DISTINCT_NOT_APPLICABLE for distinct with a ranked search.';

revoke all on function service.context_columns(text, jsonb, text[]) from public;
