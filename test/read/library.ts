import { open } from './client.ts';

/**
 * A small library with every kind of relation. Secret books, and reviews that are not visible, exist for admins only; rows that refer to
 * them are not hidden with them, so a read that follows a link meets each table's own policy.
 *
 * authors 1 Ann (mentor of 2 and 3), 2 Bob, 3 Cy (no books); books 1–3 of Ann (3 is secret), 4 of Bob, 5 of no author.
 */
export const library = `
  create table authors (id integer primary key, name text not null, born integer, mentor_id integer references authors);
  create table profiles (id integer primary key, author_id integer not null unique references authors, bio text);
  create table shelves (room text, place integer, label text, primary key (room, place));
  create table books (
    id integer primary key, author_id integer references authors, title text not null, pages integer,
    price numeric(6,2), secret boolean not null default false,
    room text, place integer, attributes jsonb not null default '{}', foreign key (room, place) references shelves);
  create table tags (id integer primary key, name text not null);
  create table book_tags (book_id integer references books, tag_id integer references tags, primary key (book_id, tag_id));
  create table reviews (id integer primary key, book_id integer not null references books,
    stars integer, body text, visible boolean not null default true);
  create table letters (id integer primary key, sender_id integer references authors, receiver_id integer references authors, text text);

  insert into authors values (1, 'Ann', 1950, null), (2, 'Bob', null, 1), (3, 'Cy', 1980, 1);
  insert into profiles values (1, 1, 'writes'), (2, 2, null);
  insert into shelves values ('A', 1, 'A one'), ('A', 2, 'A two');
  insert into books values
    (1, 1, 'Tea', 100, 10, false, 'A', 1, '{"lang": "en"}'), (2, 1, 'Coffee', 200, 20, false, 'A', 2, '{"lang": "de"}'),
    (3, 1, 'Hidden', 300, 30, true, 'A', 1, '{}'),
    (4, 2, 'Milk', null, null, false, null, null, '{}'), (5, null, 'Orphan', 50, 5, false, null, null, '{}');
  insert into tags values (1, 'hot'), (2, 'cold'), (3, 'unused');
  insert into book_tags values (1, 1), (2, 1), (2, 2), (3, 2), (4, 2);
  insert into reviews values (1, 1, 5, 'good', true), (2, 1, 1, 'bad', false), (3, 2, 3, null, true),
  (4, 3, 4, 'shh', true), (5, 4, null, 'none', false);
  insert into letters values (1, 1, 2, 'hi'), (2, 2, 1, 're: hi'), (3, null, 3, 'anonymous');

  ${open('authors', 'profiles', 'shelves', 'tags', 'book_tags', 'letters')}
  alter table books enable row level security;
  create policy public_books on books using (not secret or 'admin' = any (string_to_array((select service.roles()), ',')));
  alter table reviews enable row level security;
  create policy visible_reviews on reviews using (visible or 'admin' = any (string_to_array((select service.roles()), ',')));`;
