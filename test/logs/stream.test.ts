import { once } from 'node:events';
import { connect } from 'node:net';
import { SignJWT } from 'jose';
import { test, type Test } from 'tap';
import { createStreams, eventOf } from '../../gateway/features/logs/streams.ts';
import { LogRing } from '../../gateway/logs/ring.ts';
import { get, serve } from '../http/serve.ts';
import { createService, JWT_SECRET, SERVICE_KEY, tokenFor, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { comes, streamOf, type Entry, type Stream } from './client.ts';

const isOf = (path: string) => ({ metadata }: Entry) => metadata['path'] === path;
const endOf = async (stream: Stream) => { await until('its end', stream.isOver); return stream.ended; };
const base = ({ address }: TestService) => `${address}/api`;

test('a stream begins with a snapshot, the oldest first, and goes on with each entry that comes', async t => {
  const service = await createService(t);
  for (let n = 1; n <= 4; n++) await service.request(`/data/products/${n}`);
  const stream = await streamOf(t, base(service), { query: '?limit=3', headers: { 'accept-encoding': 'gzip, br' } });
  t.same(['content-type', 'cache-control', 'x-accel-buffering', 'content-encoding'].map(name => stream.response.headers.get(name)),
    ['text/event-stream', 'no-store, no-transform', 'no', null]);
  await until('the snapshot', () => stream.events.length > 0);
  t.match(stream.events[0], { name: 'snapshot', data: { total: 4, entries: [{ id: 'log_2' }, { id: 'log_3' }, { id: 'log_4' }] } });
  t.type(stream.events[0]?.data.instance, 'string');
  for (let n = 5; n <= 20; n++) await service.request(`/data/products/${n}`);
  await comes(stream, 'the last one', isOf('/api/data/products/20'));
  t.same(stream.entries().map(({ id }) => id), Array.from({ length: 19 }, (_, i) => `log_${i + 2}`), 'each once, in order');
  t.ok(stream.events.slice(1).every(({ name, data }) => name === 'append' && !('dropped' in data) && !('total' in data)));
  stream.close();
  await stream.ended;
  const { body } = await service.request('/admin/logs?search=stream');
  t.same(body.entries, [], 'the stream itself is no entry');
});

test('a stream has what its filters let through', async t => {
  const service = await createService(t);
  const stream = await streamOf(t, base(service), { query: '?search=PRODUCTS&level=info&source=api&since=2026-01-01' });
  const never = await streamOf(t, base(service), { query: '?level=error' });
  const future = await streamOf(t, base(service), { query: '?since=2999-01-01' });
  for (const path of ['/data/products/1', '/data/tags', '/data/products/2']) await service.request(path);
  await comes(stream, 'the second', isOf('/api/data/products/2'));
  t.same(stream.entries().map(({ metadata }) => metadata['path']), ['/api/data/products/1', '/api/data/products/2']);
  t.same([...never.entries(), ...future.entries()], []);
});

test('a stream ends when its credential does', async t => {
  const service = await createService(t, { env: { ALLOW_REGISTRATION: 'true' } });
  const post = (path: string, body: object, as: string | null = SERVICE_KEY) =>
    service.request(path, { method: 'POST', as, body: JSON.stringify(body) });

  await t.test('a key that is revoked, and no other', async t => {
    const newKey = async (name: string) => (await post('/admin/api-keys', { name, scopes: ['logs:read'] })).body.key;
    const keys = await Promise.all(['one', 'two'].map(newKey));
    const [one, two] = await Promise.all(keys.map(({ key }) => streamOf(t, base(service), { as: key })));
    t.equal((await service.request(`/admin/api-keys/${keys[0].id}`, { method: 'DELETE' })).status, 200);
    t.equal(one && await endOf(one), 'whole');
    await service.request('/data/products/3');
    if (two !== undefined) await comes(two, 'an entry', isOf('/api/data/products/3'));
    t.equal(two?.isOver(), false);
  });

  await t.test('a key that loses its scope', async t => {
    const { body: { key } } = await post('/admin/api-keys', { name: 'three', scopes: ['logs:read'] });
    const stream = await streamOf(t, base(service), { as: key.key });
    const changed = await service.request(`/admin/api-keys/${key.id}`, { method: 'PUT', body: JSON.stringify({ scopes: ['data:read'] }) });
    t.equal(changed.status, 200);
    t.equal(await endOf(stream), 'whole');
  });

  await t.test('an account that loses its role', async t => {
    const as = await tokenFor('eve', ['admin']);
    await service.account(as);
    await service.account(await tokenFor('adam', ['admin'])); // the last one stays
    const stream = await streamOf(t, base(service), { as });
    t.equal((await service.request('/admin/users/eve', { method: 'PUT', body: JSON.stringify({ roles: [] }) })).status, 200);
    t.equal(await endOf(stream), 'whole');
  });

  await t.test('a session that is ended', async t => {
    const { body: { user, tokens } } = await post('/auth/register', { email: 'ada@example.org', password: 'Correct-horse-1' }, null);
    await service.request(`/admin/users/${user.uid}`, { method: 'PUT', body: JSON.stringify({ roles: ['admin'] }) });
    const stream = await streamOf(t, base(service), { as: tokens.accessToken });
    t.equal(stream.response.status, 200);
    const left = await post('/auth/logout', { refreshToken: tokens.refreshToken }, tokens.accessToken);
    t.ok(left.status < 300, left.text);
    t.equal(await endOf(stream), 'whole');
  });

  await t.test('a token that expires', async t => {
    await service.account(await tokenFor('max', ['admin']));
    const as = await new SignJWT({ uid: 'max', roles: ['admin'] }).setProtectedHeader({ alg: 'HS256' }).setIssuedAt()
      .setExpirationTime('2s').sign(new TextEncoder().encode(JWT_SECRET));
    t.equal(await endOf(await streamOf(t, base(service), { as })), 'whole');
  });
});

test('a hundred streams have each entry once', async t => {
  const service = await createService(t);
  const streams = await Promise.all(Array.from({ length: 100 }, () => streamOf(t, base(service))));
  for (let n = 1; n <= 30; n++) await service.request(`/data/products/${n}`);
  for (const stream of streams) await comes(stream, 'the last one', isOf('/api/data/products/30'));
  const expected = Array.from({ length: 30 }, (_, n) => `log_${n + 1}`);
  for (const stream of streams) t.same(stream.entries().map(({ id }) => id), expected);
});

test('a reader that stops misses the oldest entries, is told how many, and has no other bound on its memory', async t => {
  const service = await createService(t);
  const { port } = new URL(service.address);
  const reader = connect(Number(port), '127.0.0.1');
  t.teardown(() => reader.destroy());
  let text = '';
  reader.setEncoding('utf8').on('data', (part: string) => { text += part; });
  reader.write(`GET /api/admin/logs/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SERVICE_KEY}\r\n\r\n`);
  await until('the snapshot', () => text.includes('event: snapshot'));
  reader.pause();
  const sent = 15_000;
  await flood(t, Number(port), sent);
  reader.resume();
  await service.request('/data/products/99');
  await until('the last one', () => text.includes('/api/data/products/99'));
  // Without the lines of the chunked encoding.
  const events = [...text.replaceAll(/\r\n[0-9a-f]+\r\n/g, '').matchAll(/^event: append\ndata: (.*)$/gm)]
    .map(([, json = '']) => JSON.parse(json) as { entries: Entry[]; dropped?: number });
  const dropped = events.map(({ dropped = 0 }) => dropped).reduce((sum, count) => sum + count, 0);
  const ids = events.flatMap(({ entries }) => entries.map(({ id }) => Number(id.slice('log_'.length))));
  t.ok(dropped > 0, `${dropped} dropped`);
  t.equal(ids.length + dropped, sent + 1, 'all are told of');
  t.same(ids, [...new Set(ids)].sort((a, b) => a - b), 'in order, none twice');
  t.ok(events.every(({ entries }) => entries.length <= 2_000));
  t.equal(ids.at(-1), sent + 1);
});

test('a shutdown ends the streams', async t => {
  const service = await createService(t);
  const stream = await streamOf(t, base(service));
  await until('the snapshot', () => stream.events.length > 0);
  await service.close();
  t.equal(await endOf(stream), 'whole');
});

test('a silent stream has comments, and none where entries come', async t => {
  const ring = new LogRing();
  const streams = createStreams({
    follow: wanted => Promise.resolve(wanted.map(({ filter, after }) => ring.after(after, filter, 10))),
    permit: () => Promise.resolve(), idle: 300,
  });
  const first = eventOf('snapshot', '{"entries":[]}');
  const { url } = await serve(t, [get('/stream', () => ({
    type: 'text/event-stream', body: { source: streams.open({ first, last: 0, filter: {}, authorization: '' }) },
  }))]);
  const stream = await streamOf(t, `${url}/api`, { path: '/stream' });
  await until('a comment', () => stream.comments() > 1);
  t.same(stream.entries(), []);
  ring.add([[0, 'GET', '/api/news', 200, 1, 'id', undefined]]);
  await until('news', () => stream.entries().length > 0);
  streams.close();
  t.equal(await stream.ended, 'whole');
  const late = await streamOf(t, `${url}/api`, { path: '/stream' });
  t.equal(await late.ended, 'whole', 'one that is opened later ends at once');
});

/** Sends requests with long paths, many at a time on one connection, and waits for their answers. */
async function flood(t: Test, port: number, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  const request = `GET /api/nothing/${'x'.repeat(1_900)} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const batch = 100;
  let answers = 0;
  let rest = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    const text = rest + part;
    answers += text.split('HTTP/1.1 404').length - 1;
    rest = text.slice(-11);
  });
  for (let n = 0; n < count; n += batch) {
    socket.write(request.repeat(batch));
    await until('the answers', () => answers >= n + batch, { pause: 1 });
  }
}
