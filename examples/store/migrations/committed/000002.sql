--! Previous: sha1:41e2c69a8f8a3b4fb8454ac44c4bd148e3249a3b
--! Hash: sha1:fcd8244abb8fbc3cb3e1a3f242b43faa99859522

-- Parcels and bundles came later. As in the first migration: no random numbers and no clock.

alter table bundles add check (price >= 0);
alter table bundle_products add check (quantity > 0);

-- What was sent has a parcel.
insert into shipments (order_id, carrier, tracking_code, delivered_on)
select o.id, (case when o.id % 4 = 1 then 'bicycle' when o.shipping >= 7.50 then 'parcel' else 'post' end)::shipments_carrier,
  'RG' || lpad((o.id * 7919 % 1000000)::text, 6, '0') || (o.address ->> 'country'),
  case o.status when 'delivered' then (o.shipped_at at time zone 'UTC')::date + 2 + (o.id % 3)::integer end
from orders o
where o.shipped_at is not null
order by o.id;

insert into bundles (name, price) values
  ('First matcha', 79.00),
  ('Filter coffee, complete', 64.00),
  ('A letter home', 49.00);

insert into bundle_products (bundle_id, product_id, quantity, note)
select b.id, p.id, l.quantity, l.note
from (values
  ('First matcha',            'TG-103', 1, 'Enough for a month.'),
  ('First matcha',            'KB-902', 1, 'Wide, so that the whisk has room.'),
  ('Filter coffee, complete', 'CB-501', 2, null),
  ('Filter coffee, complete', 'CR-602', 1, 'Keeps warm.'),
  ('Filter coffee, complete', 'CR-605', 1, 'So that Sunday is saved.'),
  ('A letter home',           'SN-103', 1, null),
  ('A letter home',           'SP-203', 1, 'The ink.')
) l (bundle, sku, quantity, note)
join bundles b on b.name = l.bundle
join products p using (sku)
order by b.id, p.id;
