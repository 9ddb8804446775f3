-- A vector search may name the distance, by which service_private.vector_page orders it whatever else is named.
-- A distinct read has no key to end on; the columns that it returns make its order total.
create or replace function service_private.page_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
declare
  requested jsonb := shape -> 'orderBy';
  columns text[];
  unselected text[];
begin
  if shape ? 'vector' then
    requested := (
      select coalesce(jsonb_agg(k.value order by k.n), '[]')
      from jsonb_array_elements(requested) with ordinality k (value, n) where k.value ->> 'field' <> '_distance');
  end if;
  if service_private.sorts_by_score(collection, shape) then
    return service_private.score_order(collection, requested, roles);
  elsif not (shape ? 'distinct' and shape ? 'fields') then
    return service_private.order_by(collection, 't', requested, roles);
  end if;
  columns := array(select format('t.%I', p.column_name) from service_private.distinct_properties(collection, shape) p);
  unselected := array(
    select k.field from service_private.order_keys(collection, 't', requested, roles) k
    where k.field is not null and not k.expression = any (columns) order by k.n);
  if unselected <> '{}' then
    perform service.fail(400, 'DISTINCT_ORDER_BY_NOT_SELECTED',
      format('A distinct read can only be ordered by what it returns, and "fields" leaves out %s.', array_to_string(unselected, ', ')),
      jsonb_build_object('fields', unselected));
  end if;
  return array_to_string(
    array(
      select format('%s %s nulls %s', k.expression, k.direction, k.nulls)
      from service_private.order_keys(collection, 't', requested, roles) k where k.field is not null order by k.n)
    || case columns when '{}' then '{1}' else columns end, ', ');
end $$;

comment on function service_private.page_order(text, jsonb, text[]) is
  'SQL text after ORDER BY of a page: as requested and then by key, relevance included; by what is returned for a distinct read. '
  'GW400 as service_private.order_keys, DISTINCT_ORDER_BY_NOT_SELECTED {fields}.';
