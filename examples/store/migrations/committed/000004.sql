--! Previous: sha1:7f1bea19b8ac0a69524139b20fafceaf2e26f3e4
--! Hash: sha1:7a179ee694189af72c31436413676b371972bd4a

-- Best sellers of a period, over HTTP: the comment declares it. It counts the orders that its caller may see.

create function app.best_sellers(since date, until date default null)
  returns table (product_id integer, name text, pieces bigint, revenue numeric)
  language sql stable as $$
  select p.id, p.name, sum(i.quantity), sum(i.quantity * i.unit_price)
  from public.order_items i
  join public.orders o on o.id = i.order_id and o.status <> 'cancelled'
  join public.products p on p.id = i.product_id
  where o.placed_at >= since and (until is null or o.placed_at < until + 1)
  group by p.id
$$;

comment on function app.best_sellers(date, date) is
  'Pieces and revenue of each product in a period.
@endpoint';
