// The two routes for those who look after others: who may ask, what they may ask as whom, and what is never told.
import { pino } from 'pino';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, SERVICE_KEY, storeFiles, tokenFor, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { settingsFile } from '../accounts/settings-file.ts';

const TRY = { as: 'visitor', method: 'GET', path: '/api/data/tags/1' };
const WHY = { as: 'visitor', collection: 'orders', id: 1, operation: 'read' };
const ROUTES = [['/admin/try', TRY], ['/admin/why', WHY]] as const;

type Request = TestService['request'];
type Options = Parameters<Request>[1];

const asked = (request: Request) => (path: string, body: unknown, options: Options = {}) =>
  request(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...options });
const refusal = ({ status, body }: { status: number; body: any }) => [status, body?.error?.code];

async function keyWith(request: Request, scopes: string[], roles: string[] = []): Promise<{ id: string; key: string }> {
  const { body } = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'a key', scopes, roles }) });
  return body.key as { id: string; key: string };
}

test('the scope database:read opens both routes, to people and keys alike', async t => {
  const roles = { support: { scopes: ['database:read'] }, guide: { scopes: ['schema:read'] } };
  const { request } = await createService(t, { env: settingsFile(t, { roles }) });
  const ask = asked(request);
  const [own, other] = [await keyWith(request, ['database:read']), await keyWith(request, ['data:read', 'schema:read'])];
  for (const [path, body] of ROUTES) {
    t.same(refusal(await ask(path, body, { as: null })), [401, 'UNAUTHORIZED'], path);
    t.same(refusal(await ask(path, body, { as: 'rk_live_0' })), [401, 'UNAUTHORIZED'], path);
    for (const role of ['', 'guide']) {
      const as = await tokenFor(`p-${role}`, role === '' ? [] : [role]);
      t.same(refusal(await ask(path, body, { as })), [403, 'FORBIDDEN'], `${path} ${role}`);
    }
    t.same(refusal(await ask(path, body, { as: other.key })), [403, 'API_KEY_FORBIDDEN'], path);
    for (const as of [own.key, SERVICE_KEY, await tokenFor('a-support', ['support']), await tokenFor('an-admin', ['admin'])]) {
      const { status, headers } = await ask(path, body, { as });
      t.same([status, headers.get('cache-control')], [200, 'no-store'], path);
    }
    t.same(refusal(await ask(path, { ...body, as: { roles: ['admin'] } }, { as: own.key })), [403, 'FORBIDDEN'], 'no more than it has');
    t.equal((await ask(path, { ...body, as: { roles: ['staff'] } }, { as: own.key })).status, 200);
  }
  const off = await createService(t, { env: { SERVICE_AUTH: 'off' } });
  for (const [path, body] of ROUTES) t.same(refusal(await asked(off.request)(path, body)), [501, 'ADMIN_SURFACE_UNAVAILABLE'], path);
});

test('a request that is not understood is refused, never tried as another one', async t => {
  const { request } = await createService(t, { env: { SERVICE_MAX_BODY_SIZE: '1000000' } });
  const ask = asked(request);
  for (const [path, body] of ROUTES) {
    const bad: unknown[] = [
      {}, ...[undefined, null, 'admin', '', 1, [], {}, { uid: 1 }, { uid: '' }, { uid: 'a\0' }, { uid: 'a', roles: [] }, { roles: 'staff' },
        { roles: ['a,b'] }, { roles: ['service'] }, { key: null }, { uid: 'x'.repeat(300) }, { toString: 1 }, { __proto__: null, id: 'x' },
      ].map(as => ({ ...body, as })),
      { ...body, impersonate: 'ann' },
    ];
    for (const given of bad) t.same(refusal(await ask(path, given)), [400, 'INVALID_INPUT'], `${path} ${JSON.stringify(given)}`);
    // Blanks, and a mark of the byte order, are no members.
    for (const text of ['', ' \n', '\ufeff', '\ufeff {} ']) t.same(refusal(await ask(path, text)), [400, 'INVALID_INPUT'], `${path} blank`);
    for (const text of ['[]', '{', '"x"', 'null', '{"as":']) {
      t.same(refusal(await ask(path, text)), [400, 'BAD_REQUEST'], `${path} ${text}`);
    }
    t.same(refusal(await ask(path, body, { headers: { 'content-type': 'text/plain' } })), [415, 'UNSUPPORTED_MEDIA_TYPE'], path);
    t.same(refusal(await ask(path, { ...body, body: { note: 'x'.repeat(2_000_000) } })), [413, 'PAYLOAD_TOO_LARGE'], path);
    const deep = `{"a":`.repeat(60_000) + '1' + '}'.repeat(60_000);
    t.equal((await ask(path, `${JSON.stringify(body).slice(0, -1)},"body":${deep}}`)).status, 400, 'a body that nests too deep');
    for (const as of [{ uid: 'is-not-there' }, { uid: 'service' }, { uid: 'anonymous' }, { key: 'is-not-there' },
      { key: '5f1e2b1c-7d5c-4b0e-9d53-5a7f0d3c2b1a' }]) {
      t.same(refusal(await ask(path, { ...body, as })), [404, 'NOT_FOUND'], `${path} ${JSON.stringify(as)}`);
    }
  }
  const tried: object[] = [
    ...['/api/auth/me', '/api/storage/file/a', '/api/admin/users', '/api/data', '/api/data/', 'data/tags', '//api/data/tags', 1, null,
      'http://x/api/data/tags', `/api/data/${'x'.repeat(40_000)}`, '/api/data/tags#1'].map(path => ({ ...TRY, path })),
    ...['get', 'HEAD', 'OPTIONS', 'TRACE', '', 1, null].map(method => ({ ...TRY, method })),
    ...[{ authorization: 'x' }, { 'x-service-impersonate': 'ann' }, { prefer: 1 }, { prefer: 'a\nb' }, [], 'x']
      .map(headers => ({ ...TRY, headers })),
  ];
  for (const given of tried) t.same(refusal(await ask('/admin/try', given)), [400, 'INVALID_INPUT'], JSON.stringify(given).slice(0, 100));
  const questions: object[] = [
    { ...WHY, operation: 'drop' }, { ...WHY, operation: undefined }, { ...WHY, collection: '' }, { ...WHY, collection: 1 },
    { ...WHY, id: undefined }, { ...WHY, id: true }, { ...WHY, id: {} }, { ...WHY, id: 'a\0' }, { ...WHY, body: [] }, { ...WHY, body: 'x' },
  ];
  for (const given of questions) t.same(refusal(await ask('/admin/why', given)), [400, 'INVALID_INPUT'], JSON.stringify(given));
  t.same(refusal(await ask('/admin/why', { ...WHY, collection: 'nothing' })), [404, 'NOT_FOUND']);
  t.match((await ask('/admin/why', { ...WHY, id: 'not a number' })).body, { answer: 'hidden: There is no such row.' });

  for (const [path, status, code] of [
    ['tags/%zz', 400, 'BAD_REQUEST'], ['nothing', 404, 'NOT_FOUND'], ['tags/x', 404, 'NOT_FOUND'],
    ['tags/1/nothing', 404, 'UNKNOWN_RELATION'],
    ['tags/../../admin/users', 404, 'UNKNOWN_RELATION'], ['tags?nme=eq.1', 400, 'UNKNOWN_FILTER_FIELD'],
    ['tags/ä?name=eq.ü ü', 404, 'NOT_FOUND'],
  ] as const) {
    const { body } = await ask('/admin/try', { ...TRY, as: { roles: ['staff'] }, path: `/api/data/${path}` });
    t.same([body.status, body.body.error.code], [status, code], path);
  }
});

test('every kind of caller is the one that it would be', async t => {
  const service = await createService(t, { env: { AUTH_REQUIRE: 'false' } });
  const { request, sql } = service;
  const ask = asked(request);
  const own = await keyWith(request, ['data:read:tags'], ['loader']);
  await request('/data/tags', { as: await tokenFor('ann', ['staff']) });
  const of = async (as: unknown, path = '/api/data/orders/1') => (await ask('/admin/try', { as, method: 'GET', path })).body;
  t.match(await of('visitor'), { status: 404, why: /^hidden: .*own_orders, .*not signed in$/, body: { error: { code: 'NOT_FOUND' } } });
  t.match(await of({ uid: 'ann' }), { status: 404, why: /own_orders/ });
  t.match(await of({ uid: 'ann' }, '/api/data/daily_reports'), { status: 200 });
  t.match(await of({ roles: ['admin'] }), { status: 200, why: null, body: { id: 1 }, headers: { ETag: /"/ }, notes: [] });
  t.match(await of({ key: own.id }),
    { status: 403, why: null, body: { error: { code: 'API_KEY_FORBIDDEN', details: { requiredScope: 'data:read:orders' } } } });
  t.match(await of({ key: own.id }, '/api/data/tags/1'), { status: 200, statement: /from public.tags/, plan: [{ Plan: {} }] });
  t.notOk(JSON.stringify(await of({ key: own.id })).includes(own.key.slice(8)), 'the key itself is not known');

  await sql`update service.users set disabled = true where uid = 'ann'`;
  await sql`update service.api_keys set revoked_at = now()`;
  t.match(await of({ uid: 'ann' }), { status: 401, why: null, statement: null, body: { error: { message: /disabled/ } } });
  t.match(await of({ key: own.id }), { status: 401, body: { error: { message: /revoked/ } } });
  const { body } = await ask('/admin/why', { ...WHY, as: { uid: 'ann' } });
  t.match(body, { answer: /someone else's$/ }, 'its rights are told all the same');
  const closed = await createService(t, { env: { SERVICE_HISTORY: 'false' } });
  t.match((await asked(closed.request)('/admin/try', { ...TRY, as: { roles: [] }, path: '/api/data/tags/1/history' })).body,
    { status: 501, body: { error: { code: 'FEATURE_DISABLED' } } }, 'what is switched off');
  t.match((await asked(closed.request)('/admin/try', TRY)).body, { status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
});

const SETUP = `
  create table public.marks (n int); grant insert on public.marks to service_user;
  create function app.loops() returns boolean language plpgsql as 'begin loop perform 1; end loop; end';
  create function app.raises() returns boolean language plpgsql as 'begin raise exception ''the secret is %'', 42; end';
  create function app.tells() returns boolean language plpgsql as 'begin return (select name::int > 0 from tags where id = 1); end';
  create function app.writes() returns boolean language sql volatile as 'insert into public.marks values (1) returning true';
  create policy raising on orders for select using (app.raises());
  create policy telling on bundles for select using (app.tells());
  create table public.written (id int primary key); insert into public.written values (1);
  alter table public.written enable row level security;
  create policy writing on public.written for select using (app.writes());
  create table public.slow (id int primary key); insert into public.slow values (1); alter table public.slow enable row level security;
  create policy looping on public.slow for select using (app.loops());
  create table public.many (id int primary key, owner text); insert into public.many values (1, 'ann');
  alter table public.many enable row level security;
  create table public.pairs (id int primary key, twin int references public.pairs deferrable initially deferred);
  alter table public.pairs enable row level security;
  create policy open on public.pairs using (true);
  create table public.big (id int primary key, owner text, big text);
  insert into public.big values (1, 'ann', repeat('x', 5000000));
  alter table public.big enable row level security;
  create policy first on public.big using (owner = (select service.uid()));
  do $$ begin for n in 1 .. 200 loop execute format('create policy many_%s on public.many using (owner = %L)', n, n); end loop; end $$;`;

test('odd policies have an answer, which tells no value', async t => {
  const { request, sql } = await createService(t, { env: { AUTH_REQUIRE: 'false', SERVICE_SOURCE: 'tables' }, setup: SETUP });
  const ask = asked(request);
  const why = async (question: object) => (await ask('/admin/why', { ...WHY, ...question })).body as { answer: string; data: any[] };
  const tried = async (path: string, more = {}) => (await ask('/admin/try', { ...TRY, path: `/api/data/${path}`, ...more })).body;

  const raised = await why({});
  t.match(raised.answer, /^hidden: /);
  t.match(raised.data.find(({ name }) => name === 'raising'), { verdict: 'error P0001', message: null });
  t.notMatch(JSON.stringify(raised), /secret|42/);
  const told = await why({ collection: 'bundles' });
  t.match(told.data.find(({ name }) => name === 'telling'), { verdict: 'error 22P02', message: null });
  t.notMatch(JSON.stringify(told), /organic/);
  t.match(await tried('written/1'), { status: 409, body: { error: { code: 'READ_ONLY_TRANSACTION' } } });
  t.same(await sql`select * from public.marks`, [], 'what a policy writes is undone');
  t.match(await why({ collection: 'slow' }), { answer: /^hidden: looping took longer/ }, 'a policy that loops');
  await sql.unsafe(`do $$ begin execute format('alter role %I in database %I set statement_timeout = %L',
    current_database() || '_reader', current_database(), '500ms'); end $$`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = current_database() || '_reader'`;
  await until('the lanes have noticed', async () => (await tried('tags/1')).status === 200);
  t.match(await tried('slow/1'), { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });

  const big = await why({ collection: 'big' });
  t.ok(JSON.stringify(big).length < 10_000, 'without the row of 5 MB');
  t.match(await tried('big/1'), { status: 404, why: /nearest: first/ });
  t.equal((await why({ collection: 'many' })).data.filter(({ part }) => part === 'policy').length, 200);
  t.match(await tried('many/1'), { status: 404, why: /200 tried/ });
  t.equal((await tried('big/1', { as: { roles: ['admin'] } })).status, 404, 'admin has no arm there');

  const pair = { as: { roles: ['staff'] }, method: 'POST' };
  t.match(await tried('pairs', { ...pair, body: { id: 1, twin: 2 } }),
    { status: 400, body: { error: { code: 'PG_23503' } } }, 'as at the commit');
  const direct = await request('/data/pairs', { method: 'POST', body: '{"id": 1, "twin": 2}', as: await tokenFor('ann', ['staff']) });
  t.same(refusal(direct), [400, 'PG_23503'], 'which the API says too');
  t.match(await tried('pairs', { ...pair, body: { id: 1, twin: 1 } }), { status: 201, body: { id: 1, twin: 1 }, notes: [/rolled back/] });
  t.same(await sql`select * from public.pairs`, []);
});

test('refusals of one of many rows, of callbacks and of fields have their reason', async t => {
  const { request } = await createService(t);
  const tried = async (method: string, path: string, body?: object, as: object = { roles: ['staff'] }) =>
    (await asked(request)('/admin/try', { as, method, path: `/api/data/${path}`, body })).body;
  t.match(await tried('PATCH', 'tags/1', { name: 'x' }), { status: 403, why: /^refused: no permissive policy for update is true/ });
  t.match(await tried('POST', 'tags/bulk', { rows: [{ name: 'x' }] }), { status: 403, why: /^refused: .*insert/ });
  t.match(await tried('PATCH', 'tags/bulk', { updates: [{ id: 1, data: { name: 'x' } }] }), { status: 403, why: /^refused: .*update/ });
  t.match(await tried('POST', 'tags/bulk/delete', { ids: [1] }), { status: 403, why: /^refused: .*delete/ });
  t.match(await tried('POST', '_batch', { operations: [{ op: 'delete', collection: 'tags', id: 1 }] }),
    { status: 403, why: /^refused: .*delete/ });
  t.match(await tried('DELETE', 'products/1', undefined, { roles: ['admin'] }),
    { status: 403, why: /beforeDelete, app.product_before_delete/ });
  t.match(await tried('POST', 'products/1/tags', { name: 'x' }), { status: 403, why: null }); // the path adds values that the body has not
  t.match(await tried('PATCH', 'products/1', { cost: 1 }, { roles: [] }), { status: 400, why: /FIELD_NOT_WRITABLE|no permissive policy/ });
  t.match(await tried('GET', 'tags/987654'), { status: 404, why: 'hidden: There is no such row.' });
  t.match(await tried('GET', 'nothing/1'), { status: 404, why: null });
  t.match(await tried('GET', 'tags?limit=1&include=products'), { status: 200, why: null });
  const exact = '{"as":{"roles":["staff"]},"method":"PATCH","path":"/api/data/products/1",'
    + '"body":{"price":12345678.10,"attributes":{"n":1.10}}}';
  t.match((await asked(request)('/admin/try', exact)).text, /"price":12345678\.10,.*"n": 1\.10/, 'numbers keep their digits');
});

test('who asked as whom is logged once, without a value', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const lines: any[] = [];
  const log = pino({}, { write: (line: string) => { lines.push(JSON.parse(line)); } });
  const service = await openService(url, storeFiles, url, log);
  t.teardown(service.close);
  const ask = asked(service.request);
  const tried = await ask('/admin/try',
    { as: { roles: ['staff'] }, method: 'PATCH', path: '/api/data/products/1?fields=name', body: { name: 'a very private name' } });
  t.equal(tried.body.status, 200);
  await ask('/admin/why', { ...WHY, collection: 'tags', operation: 'update', body: { name: 'a very private name' } });
  const said = lines.filter(({ audit }) => audit !== undefined);
  t.match(said, [
    { audit: 'try', actor: { uid: 'service', kind: 'service' }, as: { roles: ['staff'] }, method: 'PATCH', status: 200,
      requestId: tried.headers.get('x-request-id') },
    { audit: 'why', as: { visitor: true }, operation: 'update' },
  ]);
  t.equal(said.length, 2);
  t.notMatch(JSON.stringify(lines), /very private/);
});

test('a connection that is lost while a request is tried is 503, and the service goes on', async t => {
  const { request, sql } = await createService(t, { setup: `
    create table public.slow (id int primary key); insert into public.slow values (1);
    alter table public.slow enable row level security; create policy sleeping on public.slow using (pg_sleep(30) is not null)`,
    env: { SERVICE_SOURCE: 'tables' } });
  const ask = asked(request);
  const as = { roles: ['staff'] };
  for (const sent of [{ method: 'GET', path: '/api/data/slow' }, { method: 'PATCH', path: '/api/data/slow/1', body: { id: 1 } }]) {
    const answer = ask('/admin/try', { as, ...sent });
    await until('it sleeps', async () => (await sql`
      select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`).length > 0);
    t.same(refusal(await answer), [503, 'SERVICE_UNAVAILABLE'], sent.method);
    await until('another connection serves', async () => (await ask('/admin/try', { ...TRY, as })).body.status === 200);
  }
  const many = await Promise.all(Array.from({ length: 40 }, () => ask('/admin/try', { ...TRY, as })));
  t.ok(many.every(({ body }) => body.status === 200), 'forty at once');
});
