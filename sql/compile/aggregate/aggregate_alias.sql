create or replace function service_private.aggregate_alias(aggregate jsonb) returns text
  language sql immutable parallel safe
  return concat_ws('_', aggregate ->> 'fn', aggregate ->> 'field');

comment on function service_private.aggregate_alias(jsonb) is 'The name of an aggregate in its answer: count, count_id, sum_total.';
