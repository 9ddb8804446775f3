--! Previous: sha1:fcd8244abb8fbc3cb3e1a3f242b43faa99859522
--! Hash: sha1:7f1bea19b8ac0a69524139b20fafceaf2e26f3e4

-- Stock follows orders: a line takes its pieces from the shelf, and an order that is cancelled puts them back. A job cancels an order that
-- is not paid within an hour, and each night a report tells of the day before; rowgate.json names the functions of both. Triggers run as
-- the one who writes, jobs and schedules as the service, which row security lets do what an admin may.

grant usage on schema app to service_user;

create function app.take_stock(of_order bigint, product integer, pieces integer) returns void
  language plpgsql as $$
begin
  -- The lock makes a new line and the cancellation of its order wait for each other.
  perform from public.orders where id = of_order and status in ('pending', 'paid', 'packed') for share;
  if found then
    update public.products set stock = stock - pieces where id = product;
  end if;
end $$;

comment on function app.take_stock(bigint, integer, integer) is
  'Takes pieces of a product from the shelf; a negative number puts them back. Does nothing for an order that is sent, cancelled or '
  'deleted. The check of products.stock refuses to take more than there are.';

create function app.keep_stock() returns trigger
  language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform app.take_stock(old.order_id, old.product_id, -old.quantity);
  end if;
  if tg_op <> 'DELETE' then
    perform app.take_stock(new.order_id, new.product_id, new.quantity);
  end if;
  return null;
end $$;

comment on function app.keep_stock() is 'Trigger: lines take and put back their pieces.';

create trigger keep_stock after insert or delete or update of order_id, product_id, quantity on order_items
  for each row execute function app.keep_stock();

create function app.give_stock_back() returns trigger
  language plpgsql as $$
begin
  update public.products p set stock = p.stock + i.quantity
  from public.order_items i
  where i.order_id = new.id and p.id = i.product_id;
  return null;
end $$;

comment on function app.give_stock_back() is 'Trigger: puts the pieces of a cancelled order back on the shelf.';

create trigger give_stock_back after update of status on orders
  for each row when (old.status in ('pending', 'paid', 'packed') and new.status = 'cancelled')
  execute function app.give_stock_back();

create function app.keep_cancelled() returns trigger
  language plpgsql as $$
begin
  raise exception 'Order % is cancelled, and its pieces are back on the shelf.', old.id;
end $$;

comment on function app.keep_cancelled() is 'Trigger: refuses to bring an order back, as a payment would that comes too late.';

create trigger keep_cancelled before update of status on orders
  for each row when (old.status = 'cancelled' and new.status <> 'cancelled')
  execute function app.keep_cancelled();

create function app.await_payment() returns trigger
  language plpgsql as $$
begin
  perform service.enqueue('cancel-unpaid-order', jsonb_build_object('order', new.id),
    jsonb_build_object('runAt', now() + interval '1 hour'));
  return null;
end $$;

comment on function app.await_payment() is 'Trigger: enqueues the job that cancels a new order in an hour unless it is paid.';

create trigger await_payment after insert on orders
  for each row when (new.status = 'pending')
  execute function app.await_payment();

create function app.cancel_unpaid_order(job jsonb) returns jsonb
  language plpgsql as $$
begin
  -- Waits for a payment that is under way, and leaves alone what it has paid: after the wait the condition is judged again.
  update public.orders set status = 'cancelled'
  where id = (job -> 'payload' ->> 'order')::bigint and status = 'pending';
  return jsonb_build_object('cancelled', found);
end $$;

comment on function app.cancel_unpaid_order(jsonb) is
  'Handler of the task cancel-unpaid-order, payload {order}. Nothing for an order that is paid, cancelled or gone.';

create function app.nightly_report(job jsonb) returns jsonb
  language plpgsql as $$
declare
  today date := (job ->> 'scheduledAt')::timestamptz at time zone 'UTC';
  report public.daily_reports;
begin
  with paid as (
    select o.id, o.shipping
    from public.orders o
    where o.placed_at >= (today - 1)::timestamp at time zone 'UTC' and o.placed_at < today::timestamp at time zone 'UTC'
      and o.status not in ('pending', 'cancelled')
  ), sold as (
    select i.product_id, sum(i.quantity) as pieces, sum(i.line_total) as total
    from paid
    join public.order_items i on i.order_id = paid.id
    group by i.product_id
  )
  insert into public.daily_reports (day, orders, revenue, best_product)
  select today - 1, (select count(*) from paid),
    coalesce((select sum(total) from sold), 0) + coalesce((select sum(shipping) from paid), 0),
    (select p.name from sold join public.products p on p.id = sold.product_id order by sold.pieces desc, sold.total desc, p.id limit 1)
  on conflict (day) do update
  set orders = excluded.orders, revenue = excluded.revenue, best_product = excluded.best_product
  returning * into report;
  raise notice '%: % orders, % euros.', report.day, report.orders, report.revenue;
  if report.best_product is not null then
    raise notice 'Most pieces: %.', report.best_product;
  end if;
  return to_jsonb(report);
end $$;

comment on function app.nightly_report(jsonb) is
  'Scheduled as nightly-report: writes the row of daily_reports for the day before scheduledAt, in UTC, or writes it anew.';

-- The nights so far.
select app.nightly_report(jsonb_build_object('scheduledAt', placed_at + interval '1 day')) from orders order by id;
