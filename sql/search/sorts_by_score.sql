create or replace function service.sorts_by_score(collection text, shape jsonb) returns boolean
  language sql stable
  return coalesce(shape -> 'orderBy' @> '[{"field": "_score"}]', false) and service.is_ranked(collection, shape);

comment on function service.sorts_by_score(text, jsonb) is
  'Whether relevance is among the sort keys of a ranked search. No cursor can describe that order.';

revoke all on function service.sorts_by_score(text, jsonb) from public;
