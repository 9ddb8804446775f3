// API keys: how they are made, what they open, and what they do not.
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService, SERVICE_KEY, tokenFor, type Answer } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { OPEN, refusal, serveAt } from './people.ts';

/** Rows that the role service may see and change, and a table that only artists' rows lead to. */
const MUSIC = `
  create table public.label (id integer primary key, name text);
  create table public.artist (id integer primary key, name text, label_id integer references public.label);
  create table public.album (id integer primary key, title text, artist_id integer references public.artist);
  insert into public.label values (1, 'Verve');
  insert into public.artist values (1, 'Nina', 1), (2, 'Chet', 1);
  insert into public.album values (1, 'Pastel', 1), (2, 'Wild', 1), (3, 'Sings', 2);
  do $$ declare name text; begin
    foreach name in array '{label,artist,album}'::text[] loop
      execute format('alter table public.%I enable row level security', name);
      execute format('create policy keys on public.%I using ((select service.roles()) like ''%%service%%'')', name);
    end loop;
  end $$;`;

const music = { template: 'served', setup: MUSIC, env: { ...OPEN, SERVICE_SOURCE: 'tables', SERVICE_HISTORY: 'true' } } as const;

type Request = (path: string, options?: { method?: string; as?: string | null; body?: string }) => Promise<Answer>;
const admin = (request: Request) => (path: string, method = 'GET', body?: object, as = SERVICE_KEY) =>
  request(`/admin/api-keys${path}`, { method, as, ...(body && { body: JSON.stringify(body) }) });

test('a key is made once, changed, and ended for good', async t => {
  const { request, sql } = await createService(t, music);
  const keys = admin(request);
  const made = await keys('', 'POST',
    { name: ' etl ', scopes: ['data:read', 'data:read', 'data:write:album'], roles: ['service', 'loader'], rate_limit: 5000 });
  t.equal(made.status, 201);
  const { key } = made.body;
  t.match(key, { id: /^[0-9a-f-]{36}$/, name: 'etl', kind: 'service', key_prefix: key.key.slice(0, 12),
    scopes: ['data:read', 'data:write:album'], roles: ['loader'],
    owner_uid: null, rate_limit: 5000, created_by: 'service', created_at: /Z$/, updated_at: /Z$/, last_used_at: null, expires_at: null,
    revoked_at: null });
  t.match(key.key, /^rk_live_[0-9a-f]{32}$/);
  const { key: secret, ...shown } = key;
  t.same((await keys(`/${key.id}`)).body, { key: shown }, 'it is told once');
  const other = await keys('', 'POST', { name: 'other', scopes: ['data:read'], expires_at: '2099-01-01T00:00:00+02:00' });
  t.equal(other.body.key.expires_at, '2098-12-31T22:00:00.000Z');
  t.same((await keys('')).body.keys.map(({ name }: { name: string }) => name), ['other', 'etl'], 'the newest first');
  t.notOk(JSON.stringify(await sql`select * from service.api_keys`).includes(secret.slice(12)), 'a hash of it is stored');

  t.equal((await request('/data/artist', { as: secret })).body.data.length, 2);
  t.equal((await request('/data/artist', { as: secret })).status, 200);
  const isUsed = async () =>
    (await sql`select last_used_at is not null as used from service.api_keys where id = ${key.id}`)[0]?.['used'] === true;
  await until('it is written down that it was used', isUsed);

  const changed = await keys(`/${key.id}`, 'PUT', { name: 'loads', scopes: ['data:read:album'], rate_limit: null });
  t.match(changed.body.key, { name: 'loads', scopes: ['data:read:album'], roles: ['loader'], rate_limit: null, expires_at: null });
  t.same(refusal(await request('/data/artist', { as: secret })), [403, 'API_KEY_FORBIDDEN'], 'at once');
  t.equal((await keys(`/${key.id}`, 'PUT', { expires_at: '2001-01-01T00:00:00Z' })).status, 200);
  t.match((await request('/data/album', { as: secret })).body.error, { code: 'UNAUTHORIZED', message: /expired/ });
  await keys(`/${key.id}`, 'PUT', { expires_at: null });
  t.equal((await request('/data/album', { as: secret })).status, 200, 'it is good again');
  t.same((await keys(`/${key.id}`, 'DELETE')).body, { success: true });
  t.match((await request('/data/album', { as: secret })).body.error, { code: 'UNAUTHORIZED', message: /revoked/ });
  t.ok((await keys(`/${key.id}`)).body.key.revoked_at);
  for (const [path, method] of [
    [`/${key.id}`, 'DELETE'], [`/${key.id}`, 'PUT'], ['/nothing', 'GET'], ['/00000000-0000-0000-0000-000000000000', 'GET'],
  ] as const) {
    t.same(refusal(await keys(path, method, method === 'PUT' ? {} : undefined)), [404, 'NOT_FOUND'], `${method} ${path}`);
  }
  t.match((await request('/data/album', { as: `rk_live_${'0'.repeat(32)}` })).body.error, { code: 'UNAUTHORIZED', message: /not known/ });
});

test('malformed keys are refused', async t => {
  const { request } = await createService(t, music);
  const create = (body: object, as?: string) => admin(request)('', 'POST', { name: 'x', ...body }, as);
  const malformed = [{ name: ' ', scopes: ['data:read'] }, { name: undefined }, { scopes: [] }, { scopes: 'data:read' }, { scopes: [1] },
    {}, { scopes: ['data:read'], roles: ['a,b'] },
    { scopes: ['data:read'], rate_limit: 0 }, { scopes: ['data:read'], rate_limit: 1.5 },
    { scopes: ['data:read'], expires_at: '2001-01-01T00:00:00Z' },
    { scopes: ['data:read'], expires_at: 'tomorrow' }, { scopes: ['data:read'], expires_at: '2099-13-01T00:00:00Z' },
    { permissions: [{ collection: 'album', operations: ['drop'] }] }, { permissions: 'all' }, { admin: true, permissions: [null] }];
  for (const body of malformed) t.same(refusal(await create(body)), [400, 'INVALID_INPUT'], JSON.stringify(body));
  const cases: [scopes: string[], code: string, details: object][] = [
    [
      ['data:read', 'data:fly', 'Data:read', 'users:read:7'], 'INVALID_SCOPES',
      { problems: [{ scope: 'data:fly' }, { scope: 'Data:read' }, { scope: 'users:read:7' }], validScopes: /data:read\[:collection\]/ },
    ],
    [['data:read', 'keys:read'], 'KEY_MANAGEMENT_SCOPE', { scopes: ['keys:read'] }],
    [['data:read:nothing'], 'UNKNOWN_SCOPE_TARGET', { scope: 'data:read:nothing', target: 'nothing' }],
    [['storage:read:elsewhere'], 'UNKNOWN_SCOPE_TARGET', { target: 'elsewhere' }],
    [['functions:invoke:nothing'], 'UNKNOWN_SCOPE_TARGET', { target: 'nothing' }],
  ];
  for (const [scopes, code, details] of cases) {
    const { status, body } = await create({ scopes });
    t.match({ status, ...body.error, details: { ...body.error.details, validScopes: String(body.error.details.validScopes) } },
      { status: 400, code, details }, scopes.join());
  }
  t.equal((await create({ scopes: ['storage:read:(default)', 'functions:invoke'] })).status, 201);
  t.same(refusal(await create({ scopes: ['data:read'] }, await tokenFor('ada'))), [403, 'FORBIDDEN']);
  t.same((await create({ scopes: ['data:read'] }, await tokenFor('ada'))).body.error.details, { requiredScope: 'keys:write' });
  t.same(refusal(await request('/admin/api-keys', { as: null })), [401, 'UNAUTHORIZED']);
  const { key } = (await create({ scopes: ['users:read', 'data:read'], roles: ['admin'] })).body.key;
  for (const [method, path] of [['GET', ''], ['POST', ''], ['GET', '/1'], ['PUT', '/1'], ['DELETE', '/1']] as const) {
    t.same(refusal(await admin(request)(path, method, method.startsWith('P') ? {} : undefined, key)),
      [403, 'API_KEY_SELF_MANAGEMENT_FORBIDDEN'], `${method} ${path}`);
  }
});

test('keys of before there were scopes', async t => {
  const { request } = await createService(t, music);
  const scopesOf = async (body: object) => (await admin(request)('', 'POST', { name: 'x', ...body })).body.key;
  t.match(await scopesOf({
    permissions: [{ collection: 'album', operations: ['read', 'write'] }, { collection: 'storage', operations: ['read'] }],
  }),
    { scopes: ['data:read:album', 'data:write:album', 'storage:read'], roles: [] });
  t.match(await scopesOf({ permissions: [{ collection: '*', operations: ['read', 'write'] }] }),
    { scopes: ['data:read', 'storage:read', 'data:write', 'storage:write', 'functions:invoke'] });
  t.match(await scopesOf({ admin: true }), {
    scopes: ['users:read', 'users:write', 'schema:read', 'schema:write', 'backups:read', 'cron:read', 'cron:write', 'logs:read'],
    roles: ['admin'],
  });
});

/** The answers to a key with these scopes. A rejection names the missing scope. */
const DOORS: [scopes: string, method: string, path: string, expected: number | string, body?: unknown][] = [
  ['data:read', 'GET', '/data/album', 200],
  ['data:read', 'GET', '/data/collections', 200],
  ['data:read', 'GET', '/data/artist/1/album', 200],
  ['data:read', 'GET', '/data/artist?include=album,label', 200],
  ['data:read', 'POST', '/data/album', 'data:write:album', { id: 9 }],
  ['data:read', 'DELETE', '/data/album/1', 'data:delete:album'],
  ['data:read:album', 'GET', '/data/collections', 'data:read'],
  ['data:read:album', 'GET', '/data/album/1', 200],
  ['data:read:album', 'HEAD', '/data/album/1', 200],
  ['data:read:album', 'GET', '/data/album/1/history', 400],
  ['data:read:album', 'GET', '/data/album/count', 200],
  ['data:read:album', 'GET', '/data/artist', 'data:read:artist'],
  ['data:read:album', 'GET', '/data/nothing', 'data:read:nothing'],
  ['data:read:album', 'GET', '/data/artist/1/album', 'data:read:artist'],
  ['data:read:artist', 'GET', '/data/artist/1/album', 'data:read:album'],
  ['data:read:album', 'GET', '/data/album?include=artist', 'data:read:artist'],
  ['data:read:album', 'GET', '/data/album?include=*', 'data:read:artist'],
  ['data:read:album', 'GET', '/data/album?artist.name=Nina', 'data:read:artist'],
  ['data:read:album', 'GET', '/data/album?where={"artist.name":["==","Nina"]}', 'data:read:artist'],
  ['data:read:album', 'GET', '/data/album?or=(title.eq.x,artist.name.eq.Nina)', 'data:read:artist'],
  ['data:read:artist', 'GET', '/data/artist?orderBy=count(album)', 'data:read:album'],
  ['data:read:artist', 'GET', '/data/artist?orderBy=max(album.title):desc', 'data:read:album'],
  ['data:read:artist data:read:album', 'GET', '/data/artist?orderBy=count(album)', 200],
  ['data:read:album data:read:artist', 'GET', '/data/album?include=artist.label', 'data:read:label'],
  ['data:read:album data:read:artist data:read:label', 'GET', '/data/album?include=artist.label', 200],
  ['data:read:album', 'GET', '/data/album/count?include=artist', 'data:read:artist'],
  ['data:read', 'GET', '/data/album?explain=true', 'database:read'],
  ['data:read database:read', 'GET', '/data/album?explain=true', 200],
  ['data:write', 'GET', '/data/album', 'data:read:album'],
  ['data:write:album', 'PATCH', '/data/album/1', 200, { title: 'A' }],
  ['data:write:album', 'PUT', '/data/album/1', 200, { title: 'B' }],
  ['data:write:album', 'PATCH', '/data/artist/1', 'data:write:artist', { name: 'A' }],
  ['data:write:album', 'DELETE', '/data/album/1', 'data:delete:album'],
  ['data:write:album', 'POST', '/data/artist/1/album', 'data:read:artist', { id: 20 }],
  ['data:write:album data:read:artist', 'POST', '/data/artist/1/album', 201, { id: 20, title: 'C' }],
  ['data:delete:album', 'DELETE', '/data/artist/1/album/20', 'data:read:artist'],
  ['data:delete:album data:read:artist', 'DELETE', '/data/artist/1/album/20', 204],
  ['data:write:album', 'POST', '/data/album/bulk', 200, { rows: [{ id: 21, title: 'D' }] }],
  ['data:write:album', 'PATCH', '/data/album/bulk', 200, { updates: [{ id: 21, title: 'E' }] }],
  ['data:read', 'PATCH', '/data/album/bulk', 'data:write:album', { updates: [{ id: 21, title: 'E' }] }],
  ['data:write:album', 'POST', '/data/album/bulk/delete', 'data:delete:album', { ids: [21] }],
  ['data:delete:album', 'POST', '/data/album/bulk/delete', 200, { ids: [21] }],
  ['data:delete:album', 'POST', '/data/album/bulk', 'data:write:album', { rows: [{ id: 22 }] }],
  [
    'data:write:album', 'POST', '/data/_batch', 200,
    { operations: [{ op: 'upsert', collection: 'album', values: { id: 23, title: 'F' } }] },
  ],
  [
    'data:write:album', 'POST', '/data/_batch', 'data:delete:album',
    { operations: [{ op: 'update', collection: 'album', id: 23, values: {} }, { op: 'delete', collection: 'album', id: 23 }] },
  ],
  [
    'data:write:album', 'POST', '/data/_batch', 'data:write:artist',
    { operations: [{ op: 'create', collection: 'artist', values: { id: 23 } }] },
  ],
  ['data:read:album', 'POST', '/data/album/1/history/1/revert', 'data:write:album'],
  ['users:read', 'GET', '/admin/users', 200],
  ['users:read', 'GET', '/admin/roles', 200],
  ['users:write', 'GET', '/admin/users', 'users:read'],
  ['users:read', 'POST', '/admin/users', 'users:write', { email: 'x@example.org' }],
  ['users:write', 'POST', '/admin/users', 201, { email: 'x@example.org', password: 'Correct-horse-1' }],
  ['users:read', 'GET', '/admin/dev/emails', 'users:write'],
  ['users:write', 'GET', '/admin/dev/emails', 200],
  ['schema:read', 'GET', '/admin/rls-audit', 200],
  ['schema:write', 'GET', '/admin/rls-audit', 'schema:read'],
  ['schema:read', 'GET', '/admin/schema/status', 200],
  ['schema:read', 'GET', '/meta/contract', 200],
  ['data:read', 'GET', '/meta/contract', 'schema:read'],
  ['schema:read', 'POST', '/admin/schema/apply', 'schema:write', {}],
  ['schema:read', 'GET', '/admin/schema-editor/status', 'schema:write'],
  ['schema:write', 'GET', '/schema-editor/status', 200],
];

test('each scope opens its routes and no others', async t => {
  const { request } = await createService(t, music);
  const made = new Map<string, string>();
  const keyWith = async (scopes: string) => {
    const known = made.get(scopes) ?? (await admin(request)('', 'POST', { name: scopes, scopes: scopes.split(' ') })).body.key.key;
    made.set(scopes, known);
    return known as string;
  };
  for (const [scopes, method, path, expected, body] of DOORS) {
    const answer = await request(path, { method, as: await keyWith(scopes), ...(body !== undefined && { body: JSON.stringify(body) }) });
    const what = `${scopes}: ${method} ${path}`;
    if (typeof expected === 'number') t.equal(answer.status, expected, `${what} ${answer.text.slice(0, 200)}`);
    else t.match({ status: answer.status, ...answer.body.error },
      { status: 403, code: 'API_KEY_FORBIDDEN', details: { requiredScope: expected } }, what);
  }
});

test('no key does what people do with their accounts', async t => {
  const { request } = await createService(t, { ...music, env: { ...music.env, ALLOW_ANONYMOUS: 'true', AUTH_ALLOW_USER_LOOKUP: 'true' } });
  const { key } = (await admin(request)('', 'POST', { name: 'x', scopes: ['data:read', 'users:write'], roles: ['admin'] })).body.key;
  const routes = ['GET /auth/me', 'PATCH /auth/me', 'GET /auth/sessions', 'DELETE /auth/sessions', 'DELETE /auth/sessions/1',
    'POST /auth/change-password', 'POST /auth/find-user',
    'POST /auth/send-verification', 'POST /auth/change-email', 'POST /auth/anonymous/link', 'POST /auth/logout', 'POST /admin/bootstrap',
    'GET /auth/verify-email?token=x'];
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    t.same(refusal(await request(path, { method, as: key, ...(method.startsWith('P') && { body: '{}' }) })), [403, 'API_KEY_FORBIDDEN'],
      route);
  }
  t.match((await request('/auth/scopes', { as: key })).body, { held: ['data:read', 'users:write'] });
  t.same(refusal(await request('/auth/scopes', { as: null })), [401, 'UNAUTHORIZED']);
  const person = (await request('/auth/scopes', { as: await tokenFor('ada') })).body;
  t.same(person.held, ['data:read', 'data:write', 'data:delete', 'storage:read', 'storage:write', 'storage:delete', 'functions:invoke'],
    'people may, as far as row security lets them');
  t.match(person.scopes[0], { scope: 'data:read', label: 'Read rows', plane: 'data', target: 'collection' });
  t.equal((await request('/auth/scopes')).body.held.length, person.scopes.length, 'the service key has all');
});

test('row security judges a key as it does anybody', async t => {
  const setup = `create table public.note (id integer primary key, owner text); alter table public.note enable row level security;
    insert into public.note values (1, 'ada'); create policy mine on public.note
    using (owner = (select service.uid()) or (select service.roles()) like '%auditor%');
    create function public.who() returns text language sql as $$ select concat_ws(' ', service.uid(), service.roles(),
      service.jwt()->>'scopes', current_setting('request.jwt.claims')::jsonb->>'role',
      current_setting('request.jwt.claims')::jsonb->>'sub') $$;
    create view public.me with (security_invoker) as select 1 as id, public.who() as who; comment on view public.me is '@key id';`;
  const { request } = await createService(t, { ...music, setup });
  const create = async (roles: string[]) => (await admin(request)('', 'POST', { name: 'x', scopes: ['data:read'], roles })).body.key;
  const plain = await create([]);
  t.same((await request('/data/note', { as: plain.key })).body.data, []);
  t.same((await request('/data/note', { as: (await create(['auditor'])).key })).body.data, [{ id: 1, owner: 'ada' }]);
  t.same((await request('/data/me/1', { as: plain.key })).body.who, `api-key:${plain.id} service ["data:read"] authenticated`);
});

test('a limit of its own, and none without', async t => {
  const { request } = await createService(t, { ...music, env: { ...music.env, SERVICE_DATA_RATE_LIMIT: '2' } });
  const create = async (limit: number | null) =>
    (await admin(request)('', 'POST', { name: 'x', scopes: ['data:read'], rate_limit: limit })).body.key.key;
  const statuses = async (key: string) => {
    const all: number[] = [];
    for (let n = 0; n < 4; n++) all.push((await request('/data/album', { as: key })).status);
    return all;
  };
  t.same(await statuses(await create(3)), [200, 200, 200, 429]);
  t.same(await statuses(await create(null)), [200, 200, 429, 429], 'the general one');
  t.same(await statuses(SERVICE_KEY), [200, 200, 200, 200]);
});

test('a key that is ended at one gateway is worth nothing at the other', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(MUSIC).simple();
  const [here, there] = [await serveAt(t, url, music.env), await serveAt(t, url, { ...music.env, SERVICE_AUTH: 'off' })];
  for (let round = 0; round < 5; round++) {
    const { id, key } = (await admin(here.request)('', 'POST', { name: 'x', scopes: ['data:read'] })).body.key;
    t.equal((await there.request('/data/album', { as: key })).status, 200);
    await (round % 2 === 0
      ? admin(here.request)(`/${id}`, 'DELETE')
      : sql`update service.api_keys set revoked_at = now() where id = ${id}`);
    await until('the other gateway knows', async () => (await there.request('/data/album', { as: key })).status === 401);
  }
});
