-- Who may see and change what. The API runs every request as one restricted role, so these policies are the whole
-- truth: a row that no policy admits does not exist for the caller, and a table without policies is not served.
--
-- (select service.uid()), with the select: the database then asks once a query and not once a row.
-- Columns inside a subquery carry their table's name: a bare one that the inner table lacks would quietly mean the outer row.

alter table categories   enable row level security;
alter table products     enable row level security;
alter table tags         enable row level security;
alter table product_tags enable row level security;
alter table customers    enable row level security;
alter table orders       enable row level security;
alter table order_items  enable row level security;
alter table reviews      enable row level security;

-- Admins, the service key among them, see and change everything.
create policy admin on categories   using ('admin' = any (string_to_array((select service.roles()), ',')));
create policy admin on products     using ('admin' = any (string_to_array((select service.roles()), ',')));
create policy admin on tags         using ('admin' = any (string_to_array((select service.roles()), ',')));
create policy admin on product_tags using ('admin' = any (string_to_array((select service.roles()), ',')));
create policy admin on customers    using ('admin' = any (string_to_array((select service.roles()), ',')));
create policy admin on orders       using ('admin' = any (string_to_array((select service.roles()), ',')));
create policy admin on order_items  using ('admin' = any (string_to_array((select service.roles()), ',')));
create policy admin on reviews      using ('admin' = any (string_to_array((select service.roles()), ',')));

-- The catalogue is open to everybody. Drafts are not, and what hangs on a draft is as invisible as the draft:
-- the subqueries below see only what the caller may see.
create policy everybody on categories   for select using (true);
create policy everybody on tags         for select using (true);
create policy everybody on products     for select using (published);
create policy everybody on product_tags for select using (product_id in (select products.id from products));
create policy everybody on reviews      for select using (product_id in (select products.id from products));

-- Customers see themselves and may put their own data right. The account of a row cannot be changed:
-- without a check of its own, an update has to leave a row that the policy still admits.
create policy own_row on customers for select using (uid = (select service.uid()));
create policy own_change on customers for update using (uid = (select service.uid()));

-- To become a customer takes an account: not a visitor, whose uid all visitors share, and not a guest.
create policy sign_up on customers for insert with check (
  uid = (select service.uid())
  and (select service.uid()) <> 'anonymous'
  and not (select service.is_anonymous())
);

-- Customers see their own orders and the lines of those. Ordering is the work of the shop's own server.
create policy own_orders on orders for select using (
  customer_id in (select customers.id from customers where customers.uid = (select service.uid()))
);
create policy own_orders on order_items for select using (
  order_id in (select orders.id from orders)
);

-- A review belongs to who wrote it.
create policy own_review on reviews for insert with check (
  customer_id in (select customers.id from customers where customers.uid = (select service.uid()))
  and product_id in (select products.id from products)
);
create policy own_change on reviews for update using (
  customer_id in (select customers.id from customers where customers.uid = (select service.uid()))
);
create policy own_removal on reviews for delete using (
  customer_id in (select customers.id from customers where customers.uid = (select service.uid()))
);
