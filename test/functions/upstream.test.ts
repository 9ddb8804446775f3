import { once } from 'node:events';
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage, type RequestListener,
  type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY, storeFiles, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { serveFunctions } from './serve.ts';

const ECHO = `
import { Hono } from 'hono';
import { getUserId } from 'rowgate/functions';
const app = new Hono();
app.all('/echo/*', async c => c.json({ method: c.req.method, url: c.req.url, user: getUserId(c) ?? null, body: await c.req.text(),
  forwarded: c.req.header('x-forwarded-for'), id: c.req.header('x-request-id') }, 201, { 'x-mine': 'yes' }));
app.get('/cookies', c => { c.header('Set-Cookie', 'a=1', { append: true }); c.header('Set-Cookie', 'b=2', { append: true });
  return c.text('ok'); });
app.get('/ticks', c => { let n = 0; return new Response(new ReadableStream({ async pull(controller) {
  controller.enqueue(new TextEncoder().encode('tick\\n')); await new Promise(r => setTimeout(r, 20));
  if (++n === 1000) controller.close(); }, cancel() { console.log('the reader left'); } })); });
app.get('/wait', async c => { console.log('the caller waits');
  await new Promise(resolve => c.req.raw.signal.addEventListener('abort', resolve));
  console.log('the caller left'); return c.text('late'); });
app.get('/dies', () => process.exit(3));
app.get('/halfway', () => { let n = 0; return new Response(new ReadableStream({ async pull(controller) {
  controller.enqueue(new Uint8Array(1000)); await new Promise(r => setTimeout(r, 50));
  if (++n === 4) process.kill(process.pid, 'SIGKILL'); } })); });
app.get('/empty', () => new Response(null, { status: 204 }));
app.post('/size', async c => c.json({ size: (await c.req.arrayBuffer()).byteLength }));
export default app;`;

/** A start of the API that passes functions on to this address. */
async function apiBefore(
  t: Test, url: string, upstream: string, env: Record<string, string> = {},
): Promise<Omit<TestService, 'sql' | 'url'>> {
  const service = await openService(url, { ...storeFiles, SERVICE_ROLE: 'api', SERVICE_FUNCTIONS_UPSTREAM: upstream, ...env });
  t.teardown(service.close);
  return service;
}

async function bothRoles(t: Test, env: Record<string, string> = {}) {
  const functions = await serveFunctions(t, { 'upstream.js': ECHO }, { SERVICE_ROLE: 'functions', TRUSTED_PROXY_HOPS: '1', ...env });
  const own = { ...env, SERVICE_FUNCTIONS_DIR: functions.folder };
  return { functions, api: await apiBefore(t, functions.url, functions.address, own) };
}

function breakAfter(response: ServerResponse): void {
  response.write('x', () => setTimeout(() => response.destroy(), 50));
}

/** An address at which nothing, or something odd, answers. */
async function odd(t: Test, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.close(); });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('requests and answers pass through, with the caller, the path, the query and the body', async t => {
  const { api, functions } = await bothRoles(t);
  for (const [method, body] of [['GET'], ['POST', '{"a":1}'], ['PUT', 'é'], ['DELETE'], ['PATCH', 'x'], ['OPTIONS']] as const) {
    const { status, headers, body: answer } = await api.request('/functions/upstream/echo/a%20b?x=1&y=%C3%A9', {
      method, ...(body !== undefined && { body, headers: { 'content-type': 'text/plain' } }),
    });
    t.equal(status, 201, method);
    t.match(answer, { method, body: body ?? '', user: 'service', forwarded: '127.0.0.1', id: headers.get('x-request-id') });
    t.match(answer.url, '/echo/a%20b?x=1&y=%C3%A9');
    t.equal(headers.get('x-mine'), 'yes');
    t.match((await functions.request(`/functions/upstream/echo/`, { method })).status, 201);
  }
  t.equal((await api.request('/functions/upstream/echo/', { method: 'HEAD' })).status, 201);
  t.same((await api.request('/functions/upstream/cookies')).headers.getSetCookie(), ['a=1', 'b=2']);
  t.match(await api.request('/functions/upstream/empty'), { status: 204, text: '' });
  t.match(await api.request('/functions/upstream/echo/', { as: null }), { status: 201, body: { user: null } });
  t.match(await api.request('/functions/none'), { status: 404, body: { error: { code: 'FUNCTION_NOT_FOUND', details: {
    functions: ['best_sellers', 'upstream'] } } } });
  t.match(await api.request('/functions/best_sellers?limit=1&none=1'), { status: 400 }, 'SQL functions too');
  const refused = await fetch(`${api.address}/api/functions/upstream/echo/`, { headers: { authorization: 'Bearer none' } });
  t.equal(refused.status, 401, 'the upstream judges the credential');
});

test('keys are made at the API for functions by name', async t => {
  const { api } = await bothRoles(t);
  const made = (scope: string) =>
    api.request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: scope, scopes: [scope] }) });
  for (const name of ['upstream', 'best_sellers']) {
    const { status, body: { key } } = await made(`functions:invoke:${name}`);
    t.equal(status, 201, name);
    const answer = await fetch(`${api.address}/api/functions/upstream/echo/`, { headers: { authorization: `Bearer ${key.key}` } });
    t.equal(answer.status, name === 'upstream' ? 201 : 403, name);
  }
  t.match(await made('functions:invoke:none'), { status: 400, body: { error: { code: 'UNKNOWN_SCOPE_TARGET' } } });
});

test('bodies pass in pieces, within the limit of the upstream', async t => {
  const { api } = await bothRoles(t);
  const piece = Buffer.alloc(100_000, 'x');
  type Sized = { status: number; text: string };
  const send = (count: number, headers: Record<string, string> = {}) => new Promise<Sized>((resolve, reject) => {
    const sent = httpRequest(`${api.address}/api/functions/upstream/size`, {
      method: 'POST', headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers },
    }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => { text += part; });
      response.on('end', () => { resolve({ status: response.statusCode ?? 0, text }); }).on('error', reject);
    });
    sent.on('error', reject);
    for (let n = 0; n < count; n++) sent.write(piece);
    sent.end();
  });
  t.same(await send(30), { status: 200, text: '{"size":3000000}' }, 'in chunks');
  t.same(await send(30, { 'content-length': '3000000' }), { status: 200, text: '{"size":3000000}' });
  for (let turn = 0; turn < 20; turn++) {
    t.match(await send(120, { 'content-length': '12000000' }), { status: 413, text: /PAYLOAD_TOO_LARGE/ }, 'before all was sent');
  }
});

test('a stream passes as it comes, and its end by the client reaches the function', async t => {
  const { api, functions } = await bothRoles(t);
  const get = (path: string): Promise<IncomingMessage> => new Promise((resolve, reject) => {
    httpRequest(`${api.address}/api/functions/upstream/${path}`, resolve).on('error', reject).end();
  });
  const ticks = await get('ticks');
  const [first] = await once(ticks, 'data') as [Buffer];
  t.match(first.toString(), /^tick\n/);
  ticks.destroy();
  await until('the function hears of it', () => functions.log.some(({ msg }) => msg === 'the reader left'));
  const waiting = httpRequest(`${api.address}/api/functions/upstream/wait`).on('error', () => undefined);
  waiting.end();
  await until('the call is under way', () => functions.log.some(({ msg }) => msg === 'the caller waits'));
  waiting.destroy();
  await until('the function hears of this one', () => functions.log.some(({ msg }) => msg === 'the caller left'));
});

test('an upstream that is gone before the head is 502, after it the connection ends', async t => {
  const { api, functions } = await bothRoles(t);
  t.match(await api.request('/functions/upstream/dies'), { status: 503 }, 'a worker that ends is the word of the upstream');
  const halfway = fetch(`${api.address}/api/functions/upstream/halfway`).then(answer => answer.text());
  await t.rejects(halfway, 'never a short body that looks whole');
  t.match(await api.request('/functions/upstream/echo/'), { status: 201 });
  await functions.close();
  for (const method of ['GET', 'POST']) {
    t.match(await api.request('/functions/upstream/echo/', { method }), {
      status: 502, body: { error: { code: 'FUNCTIONS_UPSTREAM_UNREACHABLE' } } });
  }
});

test('odd upstreams are 502 or end the connection', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const raw: [name: string, bytes: string][] = [
    ['nothing', ''], ['no HTTP', 'hello\r\n\r\n'], ['half a head', 'HTTP/1.1 200 OK\r\nX-A: 1'],
    ['a status that is none', 'HTTP/1.1 abc OK\r\n\r\n'],
  ];
  for (const [name, bytes] of raw) {
    const server = createTcpServer(socket => { socket.on('error', () => undefined).once('data', () => socket.end(bytes)); });
    const address = await odd(t, server);
    const api = await apiBefore(t, url, address);
    t.match(await api.request('/functions/x'), { status: 502, body: { error: { code: 'FUNCTIONS_UPSTREAM_UNREACHABLE' } } }, name);
  }
  const listeners: [name: string, answer: RequestListener][] = [
    ['fewer bytes than announced', (_, response) => { breakAfter(response.writeHead(200, { 'content-length': 10 })); }],
    ['chunks without an end', (_, response) => { breakAfter(response); }],
  ];
  for (const [name, answer] of listeners) {
    const api = await apiBefore(t, url, await odd(t, createHttpServer(answer)));
    await t.rejects(fetch(`${api.address}/api/functions/x`).then(response => response.text()), name);
  }
  const silent = await apiBefore(t, url, await odd(t, createTcpServer(() => undefined)), { SERVICE_FUNCTIONS_TIMEOUT_MS: '100' });
  t.match(await silent.request('/functions/x'), { status: 504, body: { error: { code: 'FUNCTION_TIMEOUT' } } });
});

test('an API start without an upstream refuses functions, and a URL that is none stops the start', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const api = await openService(url, { ...storeFiles, SERVICE_ROLE: 'api' });
  t.teardown(api.close);
  const { status, body: { error } } = await api.request('/functions/x');
  t.match([status, error], [501, { code: 'FEATURE_DISABLED', details: { setting: 'SERVICE_ROLE' } }]);
  for (const upstream of ['functions:3001', 'ftp://functions', 'http://a:b@functions', 'http://functions/?x']) {
    await t.rejects(openService(url, { ...storeFiles, SERVICE_FUNCTIONS_UPSTREAM: upstream }), { message: /SERVICE_FUNCTIONS_UPSTREAM/ });
  }
});
