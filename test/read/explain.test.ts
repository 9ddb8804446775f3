import t, { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import { createService, openService, tokenFor } from '../harness/service.ts';
import { collections } from '../write/client.ts';
import { client, nobody, user } from './client.ts';
import { library } from './library.ts';

const service = await lendService(t, { template: 'served', setup: library });

test('an admin sees the statement and its plan', async t => {
  const { request } = service;
  const { status, body } = await request('/data/books?pages=gt.60&include=author&explain=true');
  t.equal(status, 200);
  t.same(Object.keys(body), ['statement', 'lane', 'parameters', 'coalescing', 'plan']);
  t.match(body.statement,
    new RegExp(String.raw`^select service_private\.bounded_answer\(r\.body, 67108864\) as body\nfrom \(\n`
      + String.raw`  select service\.enter\(\$1, \$2, \$3, \$4, \$5\) as ok\n`), 'a clause a line');
  t.equal(body.parameters[5], '60');
  t.match(body.plan[0].Plan['Node Type'], /./);
  t.ok(body.plan[0]['Execution Time'] >= 0, 'it was run');
  const admin = await request('/data/books/1?explain=true', { as: await tokenFor('root', ['admin']) });
  t.equal(admin.body.lane, 'point');
  t.equal(admin.body.parameters[0], 'root', 'as the caller');
  for (const path of ['books/count', 'books/aggregate?select=count()', 'authors/1/books', 'books/99']) {
    t.ok((await request(`/data/${path}${path.includes('?') ? '&' : '?'}explain=true`)).body.plan, path);
  }
  t.same((await request('/data/books/1?explain=false')).body.id, 1);
});

test('no other role does', async t => {
  const asAnn = client(t, service, await user('ann', ['editor']));
  await asAnn.refuses('books?explain=true', 403, 'FORBIDDEN');
  await client(t, service, nobody).refuses('books/1?explain=true', 401, 'UNAUTHORIZED');
  t.match(await asAnn.refuses('books?explain=yes', 400, 'INVALID_PARAM'), { parameter: 'explain', value: 'yes' });
  t.equal((await asAnn.read('books?explain=false')).status, 200);
  const off = await lendService(t, { template: 'served', setup: library, env: { SERVICE_AUTH: 'off' } });
  t.equal((await off.request('/data/books?explain=true')).body.error.code, 'ADMIN_SURFACE_UNAVAILABLE');
});

const notes = {
  slug: 'notes', callbacks: { afterRead: 'app.spy' }, securityRules: [{ operation: 'all', ownerField: 'owner' }],
  properties: { id: { type: 'number', isId: 'increment' }, owner: { type: 'string' } },
};

test('a plan is made under the gate, with the caller\'s sight, and writes nothing', async t => {
  const { request, sql } = await createService(t, {
    template: 'served',
    env: { SERVICE_COLLECTIONS_DIR: collections(t, notes) },
    setup: `create schema app; grant usage on schema app to public; create table app.seen (id integer); grant insert on app.seen to public;
      create function app.spy("row" json) returns json language plpgsql as $$ begin insert into app.seen values (1); return "row"; end $$;`,
  });
  await sql`insert into notes (owner) values ('ann'), ('root')`;
  const { status, body } = await request('/data/notes?explain=true', { as: await tokenFor('root', ['admin']) });
  t.same([status, body.error?.code], [409, 'READ_ONLY_TRANSACTION']);
  t.same(await sql`select from app.seen`, []);
  t.match(JSON.stringify((await request('/data/notes/count?explain=true')).body.plan), /One-Time Filter/);
});

test('the timing is shown in development, and to admins', async t => {
  const phases = /^parse;dur=[\d.]+, compile;dur=[\d.]+, database;dur=[\d.]+$/;
  for (const path of ['books', 'books/1', 'books/count']) {
    t.match((await service.request(`/data/${path}`, { as: await tokenFor('ann') })).headers.get('server-timing'), phases, path);
  }
  const production = await openService(service.url,
    { NODE_ENV: 'production', DATABASE_URL: service.url, CORS_ORIGINS: 'https://a.example' });
  t.teardown(production.close);
  t.equal((await production.request('/data/books', { as: await tokenFor('ann') })).headers.get('server-timing'), null);
  t.match((await production.request('/data/books')).headers.get('server-timing'), phases);
});

test('a preference that was honoured is named', async t => {
  const applied = async (path: string, prefer: string) =>
    (await service.request(`/data/${path}`, { headers: { prefer } })).headers.get('preference-applied');
  for (const count of ['none', 'estimated', 'exact']) t.equal(await applied('books', `count=${count}`), `count=${count}`);
  t.equal(await applied('authors/1/books', 'respond-async, count="none"'), 'count=none');
  for (const [path, prefer] of [
    ['books', 'count=some'], ['books', 'respond-async'], ['books/1', 'count=none'], ['books/count', 'count=none'],
  ] as const) {
    t.equal(await applied(path, prefer), null, `${path} ${prefer}`);
  }
});
