import { test } from 'tap';
import { FLOODS } from '../../bench/attack/floods.ts';
import { send } from '../../bench/attack/send.ts';
import { createService, tokenFor } from '../harness/service.ts';

const open = (table: string) => `alter table ${table} enable row level security;
  create policy ${table}_all on ${table} using ((select service.uid()) is not null) with check (true);`;

/** The tables that the benches flood, with few rows. */
const TABLES = `
  create table countries (id integer generated always as identity primary key, name text not null);
  create table authors (id integer generated always as identity primary key, country_id integer not null references countries,
    name text not null);
  create table posts (id integer generated always as identity primary key, author_id integer not null references authors,
    title text not null);
  create table comments (id integer generated always as identity primary key, post_id integer not null references posts,
    body text not null);
  insert into countries (name) select 'Country ' || n from generate_series(1, 25) n;
  insert into authors (country_id, name) select n, 'Author ' || n from generate_series(1, 25) n;
  insert into posts (author_id, title) select 1 + n % 25, 'Post number ' || n from generate_series(1, 2000) n;
  insert into comments (post_id, body) select 1 + n % 2000, 'Comment number ' || n from generate_series(1, 6000) n;
  ${['countries', 'authors', 'posts', 'comments'].map(open).join('\n')}`;

test('every flood is answered or cut off, and others are served meanwhile and afterwards', async t => {
  const { address, request, account } = await createService(t, { template: 'served', setup: TABLES });
  const as = await tokenFor('somebody');
  const flooder = await tokenFor('flooder');
  await account(flooder);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${flooder}` };
  for (const { name, answers } of FLOODS) {
    const flood = send(address, headers, name, 1000);
    t.match((await request('/data/posts/7', { as })).body, { id: 7, title: 'Post number 7' }, `while ${name}`);
    const unexpected = [...await flood].filter(([status]) => !answers.includes(status));
    t.same(unexpected, [], name);
  }
  t.equal((await request('/data/posts?limit=1', { as })).status, 200);
  t.match((await request('/data/posts/count', { as })).body, { count: 2000 });
});
