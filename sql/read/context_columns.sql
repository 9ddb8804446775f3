create or replace function service.context_columns(shape jsonb) returns text
  language sql immutable parallel safe
  return case when shape ? 'search' then format(', service.search_patterns($%s) as patterns', shape -> 'search' ->> 'param') else '' end;

comment on function service.context_columns(jsonb) is 'SQL text of what a statement works out once beside entering: the patterns of a search.';

revoke all on function service.context_columns(jsonb) from public;
