import { randomUUID } from 'node:crypto';
import { test, type Test } from 'tap';
import { createService, SERVICE_KEY, tokenFor, type TestService } from '../harness/service.ts';
import type { Entry } from './client.ts';

const PATHS = ['/admin/logs', '/admin/logs/latest', '/admin/logs/stream', '/logs', '/logs/latest', '/logs/stream'];
const LISTS = PATHS.filter(path => !path.endsWith('stream'));
type ErrorBody = { error: { code: string; details?: { parameter?: string } } };
const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function entriesOf({ request }: TestService, query = ''): Promise<{ entries: Entry[]; total: number; instance: string }> {
  const { status, body } = await request(`/admin/logs${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function keyWith({ request }: TestService, scopes: string[]): Promise<string> {
  const { body } = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes }) });
  return body.key.key;
}

/** The status, the code and the named scope of an answer. */
async function refusalOf({ request }: TestService, path: string, as: string | null): Promise<unknown[]> {
  const { status, body } = await request(path, { as });
  return [status, body?.error?.code, body?.error?.details?.requiredScope];
}

test('each route is for holders of logs:read, and the earlier paths say that they will go', async t => {
  const service = await createService(t);
  const [reader, other] = [await keyWith(service, ['logs:read']), await keyWith(service, ['users:read'])];
  for (const path of PATHS) {
    t.same(await refusalOf(service, path, null), [401, 'UNAUTHORIZED', undefined], path);
    t.same(await refusalOf(service, path, await tokenFor('ada')), [403, 'FORBIDDEN', 'logs:read'], path);
    t.same(await refusalOf(service, path, other), [403, 'API_KEY_FORBIDDEN', 'logs:read'], path);
  }
  for (const as of [SERVICE_KEY, reader, await tokenFor('eve', ['admin'])]) {
    for (const path of LISTS) t.same(await refusalOf(service, path, as), [200, undefined, undefined], path);
  }
  for (const path of PATHS) {
    for (const query of ['', '?limit=0']) { // of the stream that is the one with an end
      if (query === '' && !LISTS.includes(path)) continue;
      const { headers } = await service.request(path + query);
      t.equal(headers.get('deprecation'), path.startsWith('/logs') ? 'true' : null, path + query);
      t.equal((await service.request(path, { as: null })).headers.get('deprecation'), path.startsWith('/logs') ? 'true' : null);
    }
  }
  t.same(await refusalOf(service, '/logs/more', SERVICE_KEY), [404, 'NOT_FOUND', undefined]);
  const head = await service.request('/admin/logs/stream', { method: 'HEAD' });
  t.same([head.status, head.text], [200, '']);
});

test('without accounts, and in a start of another role, the routes say so', async t => {
  const off = await createService(t, { env: { SERVICE_AUTH: 'off' } });
  for (const path of PATHS) t.same((await refusalOf(off, path, SERVICE_KEY)).slice(0, 2), [501, 'ADMIN_SURFACE_UNAVAILABLE'], path);
  const functions = await createService(t, { env: { SERVICE_ROLE: 'functions' } });
  for (const path of PATHS) {
    const { status, body } = await functions.request(path);
    t.match([status, body.error], [501, { code: 'FEATURE_DISABLED', details: { setting: 'SERVICE_ROLE' } }], path);
  }
});

test('a request is one entry, with its id and trace and without its query', async t => {
  const service = await createService(t);
  const id = randomUUID();
  const headers = { 'x-request-id': id, 'traceparent': TRACE };
  await service.request('/data/products?name=not-for-logs', { headers });
  await service.request('/data/products/-1', { headers: { traceparent: 'a text that is not-for-logs' } });
  await fetch(`${service.address}/livez`);
  const { entries, total, instance } = await entriesOf(service);
  t.equal(total, 2);
  t.ok(instance);
  const [refused, found] = entries;
  t.match(found, {
    id: 'log_1', level: 'info', source: 'api', message: /^GET \/api\/data\/products 200 \d+ms$/,
    timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    metadata: { method: 'GET', path: '/api/data/products', status: 200, requestId: id, traceparent: TRACE },
  });
  t.type(found?.metadata['duration'], 'number');
  t.match(refused, { id: 'log_2', metadata: { status: 404 } });
  t.notOk(refused !== undefined && 'traceparent' in refused.metadata);
  t.notMatch(JSON.stringify(await entriesOf(service)), 'not-for-logs');
});

test('entries are filtered and paged, the newest first', async t => {
  const service = await createService(t);
  for (let n = 1; n <= 5; n++) await service.request(`/data/products/${n}`);
  await service.request('/data/nothing');
  const idsOf = async (query: string) => (await entriesOf(service, query)).entries.map(({ id }) => Number(id.slice('log_'.length)));
  const { entries } = await entriesOf(service);
  const third = entries.find(({ id }) => id === 'log_3');
  t.same(entries.map(({ id }) => id), ['log_6', 'log_5', 'log_4', 'log_3', 'log_2', 'log_1']);
  t.same(await idsOf('?search=PRODUCTS&limit=2'), [5, 4]);
  t.same(await idsOf('?search=products&limit=2&offset=3'), [2, 1]);
  t.equal((await entriesOf(service, '?search=products&limit=2&offset=3')).total, 5, 'of all that match');
  t.same(await idsOf('?offset=100'), []);
  t.ok((await idsOf(`?since=${third?.timestamp ?? ''}&search=products`)).includes(3), 'since is inclusive');
  t.same(await idsOf('?since=2999-01-01'), []);
  for (const since of ['2026', '2026-01', '2026-01-01', '2026-01-01T00:00', '2026-01-01T00:00:00%2B02:00']) {
    t.equal((await entriesOf(service, `?since=${since}&search=products&limit=1`)).total, 5, since);
  }
  t.same(await idsOf('?level=error'), []);
  t.same(await idsOf('?level=nonsense'), []);
  t.same(await idsOf('?source=realtime'), []);
  t.same(await idsOf('?level=info&level=error&source=api&search=nothing'), [6]);
  t.same(await idsOf('?search=%25'), [], 'a percent sign is itself');
  const { body } = await service.request('/admin/logs/latest?count=1');
  t.match(body, { entries: [{ metadata: { path: '/api/admin/logs' } }] });
  t.notOk('total' in body);
});

const BAD: Record<string, string[]> = {
  limit: ['0', '-1', '10001', '1.5', '1e3', '', ' 1', 'ten', '%00', '%ED%A0%80', '99999999999999999999', '1&limit=2'],
  offset: ['-1', 'x', '', '9007199254740993'],
  since: ['', 'yesterday', '0', '-1', '26-01-01', '2026-13-01', '2026-02-30T25:00', '2026-01-01T00:00:00+02:00', '%00', '%F0%9F%92%A9',
    '2026-01-01&since=2026-01-02'],
  search: ['a&search=b'],
  nonsense: ['1'],
};

test('parameters that cannot be read are refused, each by its name', async t => {
  const service = await createService(t);
  const refused = async (path: string, name: string, value: string) => {
    const { status, body } = await service.request(`${path}?${name}=${value}`);
    t.match([status, body?.error], [400, { code: 'INVALID_PARAM', details: { parameter: name } }], `${path} ${name}=${value}`);
  };
  for (const [name, values] of Object.entries(BAD)) {
    for (const value of values) {
      await refused('/admin/logs', name, value);
      if (name !== 'offset') await refused('/logs/stream', name, value);
    }
  }
  for (const value of BAD['limit'] ?? []) await refused('/admin/logs/latest', 'count', value.replace('limit', 'count'));
  await refused('/admin/logs/latest', 'limit', '1');
  await refused('/admin/logs/stream', 'offset', '1');
  for (const odd of ['%ED%A0%80', '%00', '%zz', '%0A', '"', '%E2%80%A8', '\\', '%1B[2J', 'x'.repeat(20_000)]) {
    for (const name of ['search', 'level', 'source']) t.equal((await entriesOf(service, `?${name}=${odd}`)).total, 0, `${name}=${odd}`);
  }
});

/** Values of every kind. */
const VALUES = [
  '', '%20', '-1', '0', '1001', '1.5', '1e3', '1e999', '0x10', 'NaN', 'null', 'true', '9'.repeat(400), '%00', '1%00', '%ED%A0%80', '%FF',
  '%0A', '1%0A', '%1B%5B2J', '%D9%A1', '[1]', '[]', '{}', '1,2',
];
/** Those that a parameter takes; 1001 is a year as well. `level` and `source` may be given twice. */
const TAKES: Record<string, string[]> = {
  limit: ['1001'], count: ['1001'], offset: ['0', '1001'], since: ['1001'], search: VALUES, level: VALUES, source: VALUES,
};
const MAY_BE_TWICE = ['level', 'source'];
const NAMES = Object.keys(TAKES);
/** The parameters of each route. */
const ROUTES = {
  '/admin/logs': NAMES.filter(name => name !== 'count'), '/admin/logs/latest': ['count'],
  '/admin/logs/stream': NAMES.filter(name => name !== 'count' && name !== 'offset'),
};

test('each kind of value is answered as its parameter takes it', async t => {
  const { address } = await createService(t);
  /** A stream has no end: its head is the answer. */
  async function answerTo(path: string): Promise<unknown[]> {
    const leaving = new AbortController();
    const response = await fetch(`${address}/api${path}`, { signal: leaving.signal, headers: { authorization: `Bearer ${SERVICE_KEY}` } });
    const error = response.status === 200 ? undefined : (await response.json() as ErrorBody).error;
    leaving.abort();
    return [response.status, error?.code, error?.details?.parameter];
  }
  for (const [path, names] of Object.entries(ROUTES)) {
    for (const name of NAMES) {
      const takes = names.includes(name) ? TAKES[name] ?? [] : [];
      const cases: [query: string, parameter: string | undefined][] = [
        ...VALUES.map((value): [string, string | undefined] => [`${name}=${value}`, takes.includes(value) ? undefined : name]),
        [`${name}=1001&${name}=1001`, takes.includes('1001') && MAY_BE_TWICE.includes(name) ? undefined : name],
        [`${name}[]=1`, `${name}[]`], [`${name}[a]=1`, `${name}[a]`], [`${name.toUpperCase()}=1`, name.toUpperCase()],
      ];
      for (const [query, parameter] of cases) {
        const expected = parameter === undefined ? [200, undefined, undefined] : [400, 'INVALID_PARAM', parameter];
        t.same(await answerTo(`${path}?${query}`), expected, `${path}?${query.slice(0, 50)}`);
      }
    }
  }
  for (const name of ['%00', '%ED%A0%80', '__proto__', 'constructor', 'x'.repeat(5_000)]) {
    t.match(await answerTo(`/admin/logs?${name}=1`), [400, 'INVALID_PARAM'], name.slice(0, 50));
  }
});

test('paths that hold anything come as they are, and long ones are cut', async (t: Test) => {
  const service = await createService(t);
  await service.request(`/data/${'x'.repeat(10_000)}`);
  await service.request('/data/%0Aevent:%20append%0A%1B%5B2J%ED%A0%80');
  const { entries: [odd, long] } = await entriesOf(service);
  t.equal(odd?.metadata['path'], '/api/data/%0Aevent:%20append%0A%1B%5B2J%ED%A0%80');
  t.equal((long?.metadata['path'] as string).length, 2_001);
});
