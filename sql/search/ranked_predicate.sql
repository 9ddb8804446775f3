create or replace function service.ranked_predicate(block jsonb) returns text
  language sql immutable
  return case
    when block is null then null
    when block -> 'fields' = '[]' then ' and false'
    else concat(
      case when block ? 'finder' then ' and t.ctid = any (ctx.found)' end,
      case when not coalesce((block ->> 'exact')::boolean, false) then ' and ' || service.search_condition(block, block ->> 'vector', block ->> 'folded') end)
  end;

comment on function service.ranked_predicate(jsonb) is
  'SQL text (beginning with and) of a ranked search (service.readable_search) over a row t. No field that the caller may read: no row.';

revoke all on function service.ranked_predicate(jsonb) from public;
