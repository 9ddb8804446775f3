-- 25 countries, 1,000 authors, 501,000 posts (501 an author, half of them live) and 300,000 comments: three on each
-- of the newest 100,000 posts. The same every time. Every signed-in caller reads and writes.
create table countries (
  id integer generated always as identity primary key,
  name text not null
);
create table authors (
  id integer generated always as identity primary key,
  country_id integer not null,
  name text not null
);
create table posts (
  id integer generated always as identity primary key,
  author_id integer not null,
  title text not null,
  status text not null,
  price numeric(10, 2) not null,
  created_at timestamptz(3) not null
);
create table comments (
  id integer generated always as identity primary key,
  post_id integer not null,
  author_id integer not null,
  body text not null
);
insert into countries (name) select 'Country ' || n from generate_series(1, 25) n;
insert into authors (country_id, name) select 1 + n % 25, 'Author ' || n from generate_series(1, 1000) n;
insert into posts (author_id, title, status, price, created_at)
select 1 + n * 7 % 1000, 'Post number ' || n, (array['draft', 'live', 'live', 'archived'])[1 + n / 1000 % 4], (n * 37 % 10000) / 100.0, '2024-01-01Z'::timestamptz + n * interval '1 minute'
from generate_series(1, 501000) n;
insert into comments (post_id, author_id, body)
select 401001 + n % 100000, 1 + (n * 13 + n / 100000 * 7) % 1000, 'Comment number ' || n from generate_series(1, 300000) n;
create index on posts (author_id, status, id);
create index on posts (status);
create index on posts (created_at, id desc);
create index on comments (post_id);
create index on comments (author_id);
create index on authors (country_id);
alter table authors add foreign key (country_id) references countries;
alter table posts add foreign key (author_id) references authors;
alter table comments add foreign key (post_id) references posts, add foreign key (author_id) references authors;
alter table countries enable row level security;
alter table authors enable row level security;
alter table posts enable row level security;
alter table comments enable row level security;
create policy countries_all on countries using ((select service.uid()) is not null) with check ((select service.uid()) is not null);
create policy authors_all on authors using ((select service.uid()) is not null) with check ((select service.uid()) is not null);
create policy posts_all on posts using ((select service.uid()) is not null) with check ((select service.uid()) is not null);
create policy comments_all on comments using ((select service.uid()) is not null) with check ((select service.uid()) is not null);
analyze;

-- The caller of the load. An older checkout had no accounts.
do $$
begin
  if to_regclass('service.users') is not null then
    insert into service.users (uid, email) values ('bench', 'bench@example.org');
  end if;
end $$;
