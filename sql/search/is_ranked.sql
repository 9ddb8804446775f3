create or replace function service_private.is_ranked(collection text, shape jsonb) returns boolean
  language sql stable
  return shape ? 'search' and exists (
    select from service.collections c
    where c.slug = is_ranked.collection and jsonb_typeof(c.definition -> 'search') = 'object');

comment on function service_private.is_ranked(text, jsonb) is
  'Whether a request searches a collection that has a search block, so that its rows have a _score.';
