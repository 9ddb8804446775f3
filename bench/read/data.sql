-- 1,000 authors and 100,000 posts, the same every time.
create table authors (
  id integer generated always as identity primary key,
  name text not null,
  country text not null
);
create table posts (
  id integer generated always as identity primary key,
  author_id integer not null references authors,
  title text not null,
  status text not null,
  price numeric(10, 2) not null,
  created_at timestamptz(3) not null
);
insert into authors (name, country) select 'Author ' || n, (array['DE', 'FR', 'JP', 'BR', 'US'])[1 + n % 5] from generate_series(1, 1000) n;
insert into posts (author_id, title, status, price, created_at)
select 1 + n * 7 % 1000, 'Post number ' || n, (array['draft', 'live', 'live', 'archived'])[1 + n % 4], (n * 37 % 10000) / 100.0, '2024-01-01Z'::timestamptz + n * interval '1 minute'
from generate_series(1, 100000) n;
create index posts_author_id_idx on posts (author_id);
create index posts_created_at_idx on posts (created_at, id desc);
alter table authors enable row level security;
alter table posts enable row level security;
create policy authors_read on authors for select using ((select service.uid()) is not null);
create policy posts_read on posts for select using ((select service.uid()) is not null);
analyze;
