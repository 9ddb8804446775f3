-- A distinct read has no key to end on; the columns that it returns make its order total.
create or replace function service.page_order(collection text, shape jsonb, roles text[]) returns text
  language plpgsql stable as $$
begin
  if service.sorts_by_score(collection, shape) then
    return service.score_order(collection, shape, roles);
  elsif not (shape ? 'distinct' and shape ? 'fields') then
    return service.order_by(collection, 't', shape -> 'orderBy', roles);
  end if;
  return (
    select string_agg(s.expression, ', ' order by s.step, s.n)
    from (
      select 1 as step, k.n, format('%s %s nulls %s', k.expression, k.direction, k.nulls) as expression
      from service.order_keys(collection, 't', shape -> 'orderBy', roles) k where k.field is not null
      union all
      select 2, p.position, format('t.%I', p.column_name)
      from service.properties p where p.collection = page_order.collection and not p.excluded and shape -> 'fields' ?| array[p.name, p.column_name]) s);
end $$;

comment on function service.page_order(text, jsonb, text[]) is 'SQL text after ORDER BY of a page: as requested and then by key, relevance included; by what is returned for a distinct read.';

revoke all on function service.page_order(text, jsonb, text[]) from public;
