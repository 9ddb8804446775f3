create or replace function service.aggregate_alias(aggregate jsonb) returns text
  language sql immutable parallel safe
  return concat_ws('_', aggregate ->> 'fn', aggregate ->> 'field');

comment on function service.aggregate_alias(jsonb) is 'The name of an aggregate in its answer: count, count_id, sum_total.';

revoke all on function service.aggregate_alias(jsonb) from public;
