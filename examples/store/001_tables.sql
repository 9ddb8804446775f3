-- A small shop for tea, coffee, ceramics and paper. What the API shows comes from here:
-- a foreign key category_id becomes the relation "category", its other side is named after the child table,
-- and the comments become the descriptions in the API documentation.

create type order_status as enum ('pending', 'paid', 'packed', 'shipped', 'delivered', 'cancelled');

create table categories (
  id          integer generated always as identity primary key,
  parent_id   integer references categories on delete restrict,
  slug        varchar(40) not null unique check (slug ~ '^[a-z]+(-[a-z]+)*$'),
  name        varchar(80) not null,
  description text,
  position    smallint not null default 0,
  check (parent_id <> id)
);
create index on categories (parent_id);

create table products (
  id           integer generated always as identity primary key,
  category_id  integer not null references categories on delete restrict,
  sku          varchar(12) not null unique check (sku ~ '^[A-Z]{2}-[0-9]{3}$'),
  name         varchar(120) not null,
  description  text not null,
  price        numeric(10, 2) not null check (price >= 0),
  stock        integer not null default 0 check (stock >= 0),
  origin       char(2) not null check (origin ~ '^[A-Z]{2}$'),
  materials    text[] not null default '{}',
  attributes   jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
  published    boolean not null default false,
  released_on  date,
  created_at   timestamptz(3) not null default now()
);
create index on products (category_id);
create index on products (price);

create table tags (
  id     integer generated always as identity primary key,
  name   varchar(40) not null unique,
  color  char(7) not null default '#8a8a8a' check (color ~ '^#[0-9a-f]{6}$')
);

create table product_tags (
  product_id  integer not null references products on delete cascade,
  tag_id      integer not null references tags on delete cascade,
  primary key (product_id, tag_id)
);
create index on product_tags (tag_id);

create table customers (
  id           uuid primary key default gen_random_uuid(),
  uid          text not null unique,
  name         varchar(120) not null,
  email        varchar(254) not null unique check (email like '%_@_%'),
  city         varchar(80) not null,
  country      char(2) not null check (country ~ '^[A-Z]{2}$'),
  birthday     date,
  newsletter   boolean not null default false,
  preferences  jsonb not null default '{}' check (jsonb_typeof(preferences) = 'object'),
  joined_at    timestamptz(3) not null default now()
);

create table orders (
  id           bigint generated always as identity primary key,
  customer_id  uuid not null references customers on delete restrict,
  status       order_status not null default 'pending',
  shipping     numeric(8, 2) not null default 0 check (shipping >= 0),
  address      jsonb not null check (address ? 'street' and address ? 'city' and address ? 'country'),
  note         text,
  placed_at    timestamptz(3) not null default now(),
  shipped_at   timestamptz(3) check (shipped_at >= placed_at)
);
create index on orders (customer_id);
create index on orders (placed_at);

create table order_items (
  id          bigint generated always as identity primary key,
  order_id    bigint not null references orders on delete cascade,
  product_id  integer not null references products on delete restrict,
  quantity    smallint not null default 1 check (quantity > 0),
  unit_price  numeric(10, 2) not null check (unit_price >= 0),
  line_total  numeric(12, 2) not null generated always as (quantity * unit_price) stored,
  unique (order_id, product_id)
);
create index on order_items (product_id);

create table reviews (
  id           bigint generated always as identity primary key,
  product_id   integer not null references products on delete cascade,
  customer_id  uuid not null references customers on delete cascade,
  author       varchar(80) not null,
  rating       smallint not null check (rating between 1 and 5),
  language     char(2) not null default 'en' check (language ~ '^[a-z]{2}$'),
  title        varchar(120) not null,
  body         text not null,
  created_at   timestamptz(3) not null default now(),
  unique (product_id, customer_id)
);
create index on reviews (customer_id);

comment on type order_status is 'Where an order is on its way from the basket to the door.';

comment on table  categories             is 'The shelves of the shop, as a tree.';
comment on column categories.parent_id   is 'The shelf that this one stands on; empty at the top.';
comment on column categories.slug        is 'The name in an address: lower case, words joined by hyphens.';
comment on column categories.position    is 'Order among its siblings, smallest first.';

comment on table  products               is 'What the shop sells. Everybody sees what is published, admins see drafts too.';
comment on column products.sku           is 'Stock keeping unit, printed on the label: two letters, three digits.';
comment on column products.price         is 'In euros, tax included.';
comment on column products.stock         is 'Pieces that can be sent today.';
comment on column products.origin        is 'Where it is made or grown: ISO 3166-1 alpha-2.';
comment on column products.materials     is 'What it is made of.';
comment on column products.attributes    is 'What only this kind of product has: steeping, roast, capacity, ruling.';
comment on column products.published     is 'False is a draft.';
comment on column products.released_on   is 'First day on sale.';

comment on table  tags                   is 'Words to find products by.';
comment on column tags.color             is 'Background of the label, as #rrggbb.';

comment on table  product_tags           is 'Which product has which tags.';

comment on table  customers              is 'People who buy here. Everybody sees their own row only.';
comment on column customers.uid          is 'The account that the customer signs in with.';
comment on column customers.country      is 'ISO 3166-1 alpha-2.';
comment on column customers.newsletter   is 'Wants the letter that comes with each new moon.';
comment on column customers.preferences  is 'Settings of the customer''s own pages.';

comment on table  orders                 is 'Purchases. Customers see their own.';
comment on column orders.shipping        is 'Cost of delivery in euros.';
comment on column orders.address         is 'Where it goes, as it was written on the parcel: street, city, country.';
comment on column orders.note            is 'What the customer asked for.';

comment on table  order_items            is 'The lines of an order.';
comment on column order_items.unit_price is 'The price on the day of the order, in euros.';
comment on column order_items.line_total is 'quantity × unit_price, kept by the database.';

comment on table  reviews                is 'What customers think. Everybody reads them, each writes their own.';
comment on column reviews.author         is 'The name shown beside the review; the customer''s row stays private.';
comment on column reviews.rating         is 'Stars, 1 to 5.';
comment on column reviews.language       is 'ISO 639-1.';
