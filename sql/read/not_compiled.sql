create or replace function service.not_compiled(shape jsonb) returns text
  language sql immutable parallel safe
  return case
    when shape ->> 'op' not in ('list', 'get', 'count') then 'Aggregation'
    when shape ? 'search' then 'searchString'
    when shape ? 'vector' then 'Vector search'
    when shape ? 'distinct' then 'distinct'
    when shape ? 'deleted' then 'deleted'
  end;

comment on function service.not_compiled(jsonb) is 'What a shape asks for that is not compiled yet, in words; null when all of it is.';

revoke all on function service.not_compiled(jsonb) from public;
