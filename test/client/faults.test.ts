import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'tap';
import { createClient, fetchFile, fetchFunction, RowgateError, type Client } from '../../client/src/index.ts';
import { collectGarbage } from '../harness/garbage.ts';
import { lendService } from '../harness/lend.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { isData, listen, meddler } from './meddler.ts';
import { refusal } from './service.ts';
import { schema, type Schema } from './store.types.ts';

type Options = Partial<Parameters<typeof createClient<Schema>>[0]>;

function clientAt(url: string, options: Options = {}): Client<Schema> {
  return createClient<Schema>({ url, schema, token: SERVICE_KEY, warn: () => undefined, ...options });
}

test('a write whose answer is lost is sent again with its key, and done once', async t => {
  const service = await lendService(t, {});
  const { url, seen } = await meddler(t, service.address, (call, response) => {
    if (call > 2) return true;
    response.destroy();
    return false;
  });
  const db = clientAt(url);
  const made = await db.from('tags').create({ name: 'once' }, { idempotencyKey: '' });
  t.equal(made.name, 'once');
  t.equal(seen.length, 3);
  t.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
  t.match(seen[0]?.headers['idempotency-key'], /^\d+(-\d+){3}$/);
  t.equal(await db.from('tags').count({ where: { name: 'once' } }), 1);
  await db.from('tags').remove(made.id);
  t.not(seen.at(-1)?.headers['idempotency-key'], seen[0]?.headers['idempotency-key'], 'each write has its own');
});

test('a request is sent again with the token that a function gave it first, and not at all once it was aborted', async t => {
  const service = await lendService(t, {});
  const { url, seen } = await meddler(t, service.address, (call, response) => {
    if (call > 1) return true;
    response.destroy();
    return false;
  });
  let asked = 0;
  const token = () => { asked++; return SERVICE_KEY; };
  await clientAt(url, { token }).from('tags').list();
  t.same([seen.length, asked], [2, 1]);

  const stop = new AbortController();
  const sent: unknown[] = [];
  const own: typeof fetch = (...request) => {
    if ((request[0] as string).includes('/data/')) sent.push(request);
    return fetch(...request);
  };
  const waiting = () => { stop.abort(); return new Promise<string>(() => undefined); };
  await t.rejects(clientAt(url, { token: waiting, fetch: own }).from('tags').list({}, { signal: stop.signal }), { name: 'AbortError' });
  t.same(sent, [], 'not without a token either');
});

test('a write without a sign-in is not sent again, because the service would do it twice', async t => {
  const service = await lendService(t, {});
  const { url, seen } = await meddler(t, service.address, (_, response) => {
    response.destroy();
    return false;
  });
  const db = clientAt(url, { token: () => undefined });
  t.same(await refusal(db.from('tags').create({ name: 'visitor' })), ['NETWORK', 0]);
  t.equal(seen.length, 1);
  t.same(await refusal(db.from('tags').list()), ['NETWORK', 0]);
  t.equal(seen.length, 5, 'a read is, three times');
});

test('half an answer is none, and the read is repeated', async t => {
  const service = await lendService(t, {});
  const { url, seen } = await meddler(t, service.address, (call, response, text) => {
    if (call === 1) response.writeHead(200, { 'content-type': 'application/json' }).end(text.slice(0, text.length / 2));
    const head = { 'content-type': 'application/json', 'content-length': text.length };
    if (call === 2) response.writeHead(200, head).write(text.slice(0, 10), () => { response.destroy(); });
    return call > 2;
  });
  t.equal((await clientAt(url).from('products').list({ limit: 20 })).data.length, 20);
  t.equal(seen.length, 3);
});

test('a 503 is waited out as its Retry-After says; a later one is told', async t => {
  let calls = 0;
  let after = '0';
  const url = await listen(t, (incoming, response) => {
    if (!isData(incoming)) return response.end('{}');
    calls++;
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'away', requestId: 'r' };
    const type = { 'content-type': 'application/json' };
    if (calls % 4 === 0) response.writeHead(200, type).end('{"count": 7}');
    else response.writeHead(503, { ...type, 'retry-after': after }).end(JSON.stringify({ error }));
  });
  const tags = clientAt(url).from('tags');
  t.equal(await tags.count(), 7);
  t.equal(calls, 4);
  t.same(await refusal(tags.count({}, { retries: 1 })), ['SERVICE_UNAVAILABLE', 503]);
  t.equal(calls, 6);
  after = '3600';
  const error: unknown = await tags.count().catch((reason: unknown) => reason);
  t.match(error, { code: 'SERVICE_UNAVAILABLE', retryAfter: 3600, requestId: 'r' });
  t.equal(calls, 7, 'an hour is not waited for');
});

test('a page of HTML is no answer of the service', async t => {
  let calls = 0;
  let status = 200;
  const url = await listen(t, (incoming, response) => {
    if (isData(incoming)) calls++;
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Please sign in to the hotel</html>');
  });
  const tags = clientAt(url, { retries: 1 }).from('tags');
  const error: unknown = await tags.list().catch((reason: unknown) => reason);
  t.ok(error instanceof RowgateError && error instanceof Error);
  const details = { reason: 'not JSON', contentType: 'text/html', text: /hotel/ };
  t.match(error, { name: 'RowgateError', code: 'NETWORK', status: 200, details });
  t.equal(calls, 1, 'the same would come again');
  status = 502;
  t.same(await refusal(tags.list()), ['NETWORK', 502]);
  t.equal(calls, 3, 'a proxy without its service may find it');
  status = 404;
  t.same(await refusal(tags.list()), ['NETWORK', 404]);
});

test('a redirect is no answer: a write would become a read, and another origin gets no token', async t => {
  const service = await lendService(t, {});
  for (const status of [301, 302, 307]) {
    const url = await listen(t, ({ url: path }, response) => {
      response.writeHead(status, { location: `${service.address}${path ?? ''}` }).end();
    });
    const tags = clientAt(url).from('tags');
    t.same(await refusal(tags.create({ name: 'moved' })), ['NETWORK', status]);
    t.same(await refusal(tags.count()), ['NETWORK', status]);
    t.same(await refusal(fetchFile(clientAt(url), 'a.txt')), ['NETWORK', status]);
  }
  t.equal(await clientAt(service.address).from('tags').count({ where: { name: 'moved' } }), 0);
});

test('the headers of a request precede those of the client, in whatever case their names are', async t => {
  const service = await lendService(t, {});
  const { url, seen } = await meddler(t, service.address, () => true);
  const db = clientAt(url, { headers: { 'X-Tenant': 'a', 'x-other': 'c' }, token: 'none' });
  await db.from('tags').count({}, { headers: { 'x-tenant': 'b', Authorization: `Bearer ${SERVICE_KEY}` } });
  t.match(seen[0]?.headers, { 'x-tenant': 'b', 'x-other': 'c', authorization: `Bearer ${SERVICE_KEY}` });
});

test('a call ends in its time while it waits for a token, and while another one is asked for', async t => {
  const never = new Promise<never>(() => undefined);
  const tags = clientAt('http://127.0.0.1:1', { token: () => never }).from('tags');
  t.same(await refusal(tags.list({}, { timeout: 50 })), ['NETWORK', 0]);
  t.equal(await refusal(tags.list({}, { signal: AbortSignal.abort() })), 'AbortError');
  const service = await lendService(t, {});
  const waiting = clientAt(service.address, { auth: { token: () => Promise.resolve('none'), refused: () => never } }).from('tags');
  t.match(await waiting.list({}, { timeout: 500 }).catch((reason: unknown) => reason), { code: 'NETWORK', details: { reason: 'timeout' } });
  const abort = new AbortController();
  setTimeout(() => { abort.abort(); }, 500);
  t.equal(await refusal(waiting.list({}, { signal: abort.signal })), 'AbortError');
});

test('the time of a call is that until its answer begins, where the body is read by the caller', async t => {
  const pending: ServerResponse[] = [];
  const url = await listen(t, ({ url: path }, response) => {
    if (path?.endsWith('/refused')) response.writeHead(500);
    response.write('a');
    if (path?.endsWith('/slow')) pending.push(response);
  });
  const db = clientAt(url);
  const answer = await fetchFunction(db, 'slow', { timeout: 2_000 });
  const over = AbortSignal.timeout(2_500);
  await until('the time is over', () => over.aborted);
  pending[0]?.end('b');
  t.equal(await answer.text(), 'ab');
  const abort = new AbortController();
  const aborted = await fetchFunction(db, 'slow', { signal: abort.signal });
  abort.abort();
  t.equal(await refusal(aborted.text()), 'AbortError');
  t.same(await refusal(fetchFunction(db, 'refused', { timeout: 300 })), ['NETWORK', 0], 'a refusal that does not end is none');
});

test('an abort stays an abort, a call ends in its time, and a server that is not there is NETWORK', async t => {
  let arrived: () => void = () => undefined;
  const url = await listen(t, incoming => { if (isData(incoming)) arrived(); });
  const tags = clientAt(url).from('tags');
  const abort = new AbortController();
  const listed = tags.list({}, { signal: abort.signal });
  await new Promise<void>(resolve => { arrived = resolve; });
  abort.abort();
  t.equal(await refusal(listed), 'AbortError');
  t.equal(await refusal(tags.list({}, { signal: AbortSignal.abort() })), 'AbortError');
  const late: unknown = await tags.list({}, { timeout: 50 }).catch((reason: unknown) => reason);
  t.match(late, { code: 'NETWORK', status: 0, details: { reason: 'timeout' } });
  t.same(await refusal(clientAt('http://127.0.0.1:1', { retries: 0 }).from('tags').list()), ['NETWORK', 0]);
  const waiting = new AbortController();
  const refused = clientAt('http://127.0.0.1:1', { retries: 100 }).from('tags').list({}, { signal: waiting.signal });
  waiting.abort();
  t.equal(await refusal(refused), 'AbortError', 'while it waits to be sent again');
});

test('a signal that lives longer than its requests keeps nothing of them', async t => {
  const service = await lendService(t, {});
  const { url } = await meddler(t, service.address, (call, response) => {
    if (call % 2 === 1) response.destroy();
    return call % 2 === 0;
  });
  const made = t.capture(AbortSignal, 'any', AbortSignal.any.bind(AbortSignal));
  const tags = clientAt(url).from('tags');
  const { signal } = new AbortController();
  for (let n = 0; n < 3; n++) await tags.count({}, { signal });
  await fetchFunction(clientAt(url), 'nothing', { signal }).catch(() => undefined);
  await fetchFunction(clientAt('http://127.0.0.1:1', { retries: 0 }), 'nothing', { signal }).catch(() => undefined);
  const signals = made().flatMap(call => 'returned' in call ? [call.returned] : []);
  t.equal(signals.length, 7);
  const left = (): boolean => signals.some(each => getEventListeners(each, 'abort').length > 0);
  collectGarbage(t); // fetch takes its own listener away when a request is collected
  await until('no listener is left, although each was sent twice', () => !left());
});

test('a write under way elsewhere with the same key is asked for again', async t => {
  const service = await lendService(t, {});
  const db = clientAt(service.address);
  const options = { idempotencyKey: 'a key of the caller' };
  const both = await Promise.all([db.from('tags').create({ name: 'both' }, options), db.from('tags').create({ name: 'both' }, options)]);
  t.same(both[0], both[1]);
  t.same(await refusal(db.from('tags').create({ name: 'another' }, options)), ['IDEMPOTENCY_KEY_REUSED', 422]);
  await db.from('tags').remove(both[0].id);
});
