create or replace function service_private.score_order(collection text, requested jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  block jsonb := service_private.readable_search(collection, roles);
  score record;
  others jsonb := (
    select jsonb_agg(o.key order by o.n)
    from jsonb_array_elements(requested) with ordinality o (key, n) where o.key ->> 'field' <> '_score');
begin
  select k.n, k.key ->> 'direction' as direction into score
  from jsonb_array_elements(requested) with ordinality k (key, n) where k.key ->> 'field' = '_score' order by k.n limit 1;
  return (
    select string_agg(s.expression, ', ' order by s.place)
    from (
      select score.n - 0.5 as place,
        format('%s %s', service_private.search_score(block, block ->> 'vector', block ->> 'folded'), score.direction) as expression
      union all
      select k.n, format('%s %s nulls %s', k.expression, k.direction, k.nulls)
      from service_private.order_keys(collection, 't', others, roles) k) s);
end $$;

comment on function service_private.score_order(text, jsonb, text[]) is
  'SQL text after ORDER BY of a ranked search that has _score among its requested sort keys.';
