create or replace function service_private.sorts_by_score(collection text, shape jsonb) returns boolean
  language sql stable
  return coalesce(shape -> 'orderBy' @> '[{"field": "_score"}]', false) and service_private.is_ranked(collection, shape);

comment on function service_private.sorts_by_score(text, jsonb) is
  'Whether relevance is among the sort keys of a ranked search. No cursor can describe that order.';
