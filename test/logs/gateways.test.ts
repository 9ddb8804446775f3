// Two starts on one database: each has a log of its own, and a credential that ends at one has ended at the other.
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { SERVICE_KEY, storeFiles } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startOn, type Service } from '../workers/service.ts';
import { comes, streamOf, type Entry } from './client.ts';

async function twoStarts(t: Test): Promise<[Service, Service]> {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const env = { DATABASE_URL: url, ...storeFiles, SERVICE_WORKERS: '1', ALLOW_REGISTRATION: 'true' };
  return [await startOn(t, env), await startOn(t, env)];
}

const pathOf = ({ metadata }: Entry) => metadata['path'];

test('each start has its own ring and stream', async t => {
  const starts = await twoStarts(t);
  const served = [['one', 'three', 'last'], ['two', 'four', 'last']].map(names => names.map(name => `/nothing-${name}`));
  const streams = await Promise.all(starts.map(({ address }) => streamOf(t, address, { query: '?search=nothing-' })));
  for (const n of [0, 1, 2]) await Promise.all(starts.map(({ ask }, i) => ask(served[i]?.[n] ?? '')));
  const instances = await Promise.all(starts.map(async ({ ask }, i) => {
    const [stream, expected] = [streams[i], served[i]?.map(path => `/api${path}`)];
    await until('the last one', () => stream?.entries().map(pathOf).includes('/api/nothing-last'));
    t.same(stream?.entries().map(pathOf), expected);
    const { entries, instance } = JSON.parse((await ask('/admin/logs?search=nothing-')).text) as { entries: Entry[]; instance: string };
    t.same(entries.map(pathOf), expected?.toReversed());
    t.equal(stream?.events[0]?.data.instance, instance);
    return instance;
  }));
  t.equal(new Set(instances).size, starts.length);
});

/** One request with a body. */
async function send({ address }: Service, method: string, path: string, body: object = {}, as = SERVICE_KEY): Promise<any> {
  const headers = { 'authorization': `Bearer ${as}`, 'content-type': 'application/json' };
  const response = await fetch(`${address}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json().catch(() => undefined);
}

type Credential = { as: string; end: (at: Service) => Promise<unknown> };

/** Credentials that may read the log, and how each of them ends. */
const ENDS: Record<string, (at: Service) => Promise<Credential>> = {
  async 'a key that is revoked'(at) {
    const { key } = await send(at, 'POST', '/admin/api-keys', { name: 'one', scopes: ['logs:read'] });
    return { as: key.key, end: at => send(at, 'DELETE', `/admin/api-keys/${key.id}`) };
  },
  async 'a key that loses its scope'(at) {
    const { key } = await send(at, 'POST', '/admin/api-keys', { name: 'two', scopes: ['logs:read'] });
    return { as: key.key, end: at => send(at, 'PUT', `/admin/api-keys/${key.id}`, { scopes: ['data:read'] }) };
  },
  async 'an account that loses its role'(at) {
    const { user, tokens } = await register(at, 'eve');
    return { as: tokens.accessToken, end: at => send(at, 'PUT', `/admin/users/${user.uid}`, { roles: [] }) };
  },
  async 'a session that is ended'(at) {
    const { accessToken: as, refreshToken } = (await register(at, 'ada')).tokens;
    return { as, end: at => send(at, 'POST', '/auth/logout', { refreshToken }, as) };
  },
};

/** An account with the role of an admin. */
async function register(at: Service, name: string): Promise<any> {
  const registered = await send(at, 'POST', '/auth/register', { email: `${name}@example.org`, password: 'Correct-horse-1' });
  await send(at, 'PUT', `/admin/users/${registered.user.uid}`, { roles: ['admin'] });
  return registered;
}

test('a stream ends when its credential ends at the other start', async t => {
  const [one, other] = await twoStarts(t);
  await register(one, 'adam'); // the last admin stays
  const bystander = await streamOf(t, other.address, { query: '?search=nothing-' });
  for (const [name, credential] of Object.entries(ENDS)) {
    const { as, end } = await credential(one);
    const stream = await streamOf(t, other.address, { as });
    t.equal(stream.response.status, 200, name);
    await until('the snapshot', () => stream.events.length > 0);
    await end(one);
    await until(`the end: ${name}`, stream.isOver);
    t.equal(await stream.ended, 'whole', name);
  }
  await other.ask('/nothing-left');
  await comes(bystander, 'an entry', entry => pathOf(entry) === '/api/nothing-left');
  t.equal(bystander.isOver(), false);
});
