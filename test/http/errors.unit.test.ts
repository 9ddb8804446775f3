import { randomUUID } from 'node:crypto';
import { test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { headerBlock } from '../../gateway/http/header-block.ts';
import { errorOf, get, rawClient, serve, uuidV4 } from './serve.ts';

const generic = 'Something went wrong on the server. Quote the request id when you report it.';
function raising(error: () => unknown) {
  return [
    get('/now', () => { throw error(); }),
    get('/later', async () => { await Promise.resolve(); throw error(); }),
    { ...get('/body', () => { throw error(); }), method: 'POST' as const },
  ];
}
const calls: [string, RequestInit][] = [['/api/now', {}], ['/api/later', {}], ['/api/body', { method: 'POST', body: '{}' }]];

test('an ApiError is shown as it is', async t => {
  const { url, log } = await serve(t, raising(() => new ApiError(409, 'CONFLICT', 'Taken.', { field: 'slug' })));
  for (const [path, init] of calls) {
    const response = await fetch(url + path, init);
    t.equal(response.status, 409);
    t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    t.same(await errorOf(response),
      { message: 'Taken.', code: 'CONFLICT', details: { field: 'slug' }, requestId: response.headers.get('x-request-id') });
  }
  t.same(log, [], 'and nothing is logged above debug');
});

test('anything else is a generic 500, and its cause is in the log under the request id', async t => {
  const { url, log } = await serve(t, raising(() => new TypeError('password hunter2 is wrong')));
  for (const [path, init] of calls) {
    const response = await fetch(`${url}${path}?token=s3cret`, init);
    t.equal(response.status, 500);
    const error = await errorOf(response);
    t.same(error, { message: generic, code: 'INTERNAL_ERROR', requestId: response.headers.get('x-request-id') });
    const line = log.pop();
    t.match(line,
      { level: 50, requestId: error.requestId, path, status: 500, durationMs: Number, err: { message: 'password hunter2 is wrong' } });
    t.notOk(JSON.stringify(line).includes('s3cret'), 'without the query');
    t.same(log, [], 'one line');
  }
});

test('a thrown value that is no error is a 500 too', async t => {
  const { url } = await serve(t, raising(() => 'text'));
  for (const [path, init] of calls) t.equal((await fetch(url + path, init)).status, 500);
});

test('an ApiError of status 500 keeps its code and loses its text; 501 and 503 keep both', async t => {
  const given = (status: number) =>
    raising(() => new ApiError(status, 'CONFLICT', 'Own text.', { dbCode: '42501' }, { cause: new Error('the reason') }));
  const internal = await serve(t, given(500));
  t.match(await errorOf(await fetch(`${internal.url}/api/now`)), { message: generic, code: 'CONFLICT', details: { dbCode: '42501' } });
  for (const status of [501, 503]) {
    const { url, log } = await serve(t, given(status));
    t.match(await errorOf(await fetch(`${url}/api/later`)), { message: 'Own text.', code: 'CONFLICT' });
    t.match(log, status === 501 ? [] : [{ level: 40, status, err: { message: 'the reason' } }],
      'what is not there is no trouble of the server');
  }
});

test('details that JSON cannot hold do not cost the client the code', async t => {
  const { url } = await serve(t, raising(() => new ApiError(400, 'CONFLICT', 'Text.', { n: 1n })));
  t.match(await errorOf(await fetch(`${url}/api/later`)), { code: 'CONFLICT', message: 'Text.' });
});

test('a 503 says when to come again', async t => {
  const { url } = await serve(t, raising(() => new ApiError(503, 'SERVICE_UNAVAILABLE', 'Busy.')));
  for (const [path, init] of calls) t.equal((await fetch(url + path, init)).headers.get('retry-after'), '1');
});

test('a 401 names its scheme', async t => {
  const { url } = await serve(t, raising(() => new ApiError(401, 'UNAUTHORIZED', 'Who are you?')));
  t.equal((await fetch(`${url}/api/now`)).headers.get('www-authenticate'), 'Bearer');
});

test('the caller\'s request id is kept when it is a UUID v4', async t => {
  const { url } = await serve(t, [get('/id', call => ({ body: JSON.stringify(call.requestId) }))]);
  for (const given of [randomUUID(), randomUUID().toUpperCase()]) {
    for (const path of ['/api/id', '/api/nothing']) {
      const response = await fetch(url + path, { headers: { 'X-Request-ID': given } });
      t.equal(response.headers.get('x-request-id'), given);
      t.ok((await response.text()).includes(given));
    }
  }
});

test('any other request id is ignored, and a fresh one made', async t => {
  const { url } = await serve(t, [get('/id', () => ({}))]);
  const fresh = new Set<string | null>();
  for (const given of [
    '', 'abc', '1', `${randomUUID()}x`, 'f47ac10b-58cc-1372-a567-0e02b2c3d479', 'f47ac10b-58cc-4372-c567-0e02b2c3d479', '<script>',
  ]) {
    const response = await fetch(`${url}/api/id`, { headers: given === '' ? {} : { 'X-Request-ID': given } });
    t.equal(response.status, 200);
    t.match(response.headers.get('x-request-id'), uuidV4);
    fresh.add(response.headers.get('x-request-id'));
  }
  t.equal(fresh.size, 7);
});

test('every answer is logged at debug, without its query', async t => {
  const { url, log } = await serve(t, [get('/x', () => ({ body: '1' }))], { level: 'debug' });
  const response = await fetch(`${url}/api/x?secret=1`);
  t.match(log, [{ level: 20, requestId: response.headers.get('x-request-id'), method: 'GET', path: '/api/x', status: 200 }]);
});

test('no header value can begin another line', async t => {
  for (const bad of ['a\r\nSet-Cookie: x=1', 'a\nb', 'a\rb', 'a\0b', 'a\x7fb']) {
    t.throws(() => headerBlock({ ETag: bad }), /would break the message/);
    t.throws(() => headerBlock({ [bad]: 'x' }), /may not set the header/);
    const { url } = await serve(t,
      [get('/value', () => ({ headers: { ETag: bad } })), get('/type', async () => ({ type: bad, body: await Promise.resolve('x') }))]);
    t.equal((await fetch(`${url}/api/value`)).status, 500);
    t.equal((await fetch(`${url}/api/type`)).status, 500);
  }
  for (const framing of ['Content-Length', 'transfer-encoding', 'CONNECTION']) {
    t.throws(() => headerBlock({ [framing]: '1' }), /may not set the header/);
  }
  t.equal(headerBlock({ ETag: '"é€"', 'X-A': 'tab\there' }), 'ETag: "é€"\r\nX-A: tab\there\r\n');
});

const chunked = 'Transfer-Encoding: chunked\r\n';
const hidden = 'GET /api/x HTTP/1.1\r\nHost: x\r\n\r\n';
const ambiguous = {
  'length and chunks': `Content-Length: 4\r\n${chunked}\r\n0\r\n\r\n${hidden}`,
  'chunks and length': `${chunked}Content-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
  'two lengths': `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'a signed length': `Content-Length: +0\r\n\r\n${hidden}`,
  'a list of lengths': `Content-Length: 0, 0\r\n\r\n${hidden}`,
  'another encoding': `Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n${hidden}`,
  'two encodings': `${chunked}${chunked}\r\n0\r\n\r\n${hidden}`,
  'an encoding in disguise': `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
};

test('a body that two readers could see end in two places ends its connection', async t => {
  const { port } = await serve(t, [get('/x', () => ({})), { method: 'POST', path: '/x', handle: () => ({}) }]);
  for (const [name, bytes] of Object.entries(ambiguous)) {
    for (const method of ['POST', 'GET']) {
      const client = await rawClient(t, port);
      client.send(`${method} /api/x HTTP/1.1\r\nHost: x\r\n${bytes}`);
      t.match(await client.rest(), /^(?:HTTP\/1.1 400 (?:(?!HTTP)[^])*)?$/, `${method} ${name}`);
    }
  }
  const client = await rawClient(t, port);
  client.send('POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n');
  t.match(await client.rest(), /^HTTP\/1.1 400 [^]*Connection: close[^]*"BAD_REQUEST"/);
});

test('bytes that are no HTTP get no service, and harm no other client', async t => {
  const { port, url } = await serve(t, [get('/x', () => ({}))]);
  for (const bytes of [
    '\0\0\0\r\n\r\n', 'GET /api/x\x01 HTTP/1.1\r\nHost: x\r\n\r\n', `GET /api/x HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(200_000)}\r\n\r\n`,
  ]) {
    const client = await rawClient(t, port);
    client.send(bytes);
    t.match(await client.rest(), /^HTTP\/1.1 (?:400|431|505)/);
  }
  t.equal((await fetch(`${url}/api/x`)).status, 200);
});
