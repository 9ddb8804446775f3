import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { serveFunctions } from './serve.ts';

const ANSWERS = `
import { Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { streamSSE } from 'hono/streaming';
const app = new Hono();
app.get('/cookies', c => { setCookie(c, 'a', '1'); setCookie(c, 'b', '2'); return c.text('ok'); });
app.get('/headers', c => new Response('ok', { status: 203, headers: {
  Connection: 'close', 'Content-Length': '4000', 'X-Request-ID': 'mine', 'Access-Control-Allow-Origin': '*', 'Keep-Alive': 'x',
    'X-Mine': 'mine',
  'X-Frame-Options': 'SAMEORIGIN', Trailer: 'x' } }));
app.get('/redirect', c => c.redirect('https://example.com/x', 307));
app.get('/bytes', () => new Response(new Uint8Array([0, 255, 128, 10]), { headers: { 'Content-Type': 'image/x-odd' } }));
app.get('/plain', () => new Response('Not here, sorry', { status: 404, headers: { 'Content-Type': 'text/plain' } }));
app.post('/raw', async c => c.body(await c.req.arrayBuffer()));
app.get('/sse', c => streamSSE(c, async stream => {
  stream.onAbort(() => { console.log('aborted the stream'); });
  c.req.raw.signal.addEventListener('abort', () => { console.log('aborted the request'); });
  for (let i = 0; i < 1000; i++) { await stream.writeSSE({ data: String(i) }); await stream.sleep(30); }
}));
app.get('/wait', async c => { await new Promise(resolve => c.req.raw.signal.addEventListener('abort', resolve));
  console.log('GET aborted'); return c.text('late'); });
app.post('/wait', async c => { await new Promise(resolve => c.req.raw.signal.addEventListener('abort', resolve));
  console.log('POST aborted'); return c.text('late'); });
app.get('/endless', () => { let made = 0; return new Response(new ReadableStream({ pull(controller) { made += 65536;
  console.log('made ' + made);
  controller.enqueue(new Uint8Array(65536)); } })); });
app.get('/large', () => new Response(new Uint8Array(30_000_000).fill(7)));
app.get('/breaks', () => { let n = 0; return new Response(new ReadableStream({ async pull(controller) {
  await new Promise(r => setTimeout(r, 20));
  if (n++ > 3) controller.error(new Error('broke')); else controller.enqueue(new TextEncoder().encode('piece')); } })); });
app.get('/strings', () => new Response(new ReadableStream({ start(controller) { controller.enqueue('text'); controller.close(); } })));
app.get('/99', c => c.body('x', 99));
app.get('/600', c => c.body('x', 600));
app.get('/split', c => { c.header('X-Bad', 'a\\r\\nSet-Cookie: b'); return c.text('x'); });
app.get('/string', () => 'text');
export default app;`;

test('answers pass as they are', async t => {
  const { request, address } = await serveFunctions(t, { 'answers.js': ANSWERS });
  t.same((await request('/functions/answers/cookies')).headers.getSetCookie(), ['a=1; Path=/', 'b=2; Path=/']);
  const { status, text, headers } = await request('/functions/answers/headers', { headers: { origin: 'http://localhost:1' } });
  t.same([status, text, headers.get('content-length'), headers.get('x-mine'), headers.get('x-frame-options'), headers.get('trailer')],
    [203, 'ok', '2', 'mine', 'SAMEORIGIN', null]);
  t.match([headers.get('x-request-id'), headers.get('access-control-allow-origin')], [/^[0-9a-f-]{36}$/, 'http://localhost:1']);
  const redirect = await fetch(`${address}/api/functions/answers/redirect`, { redirect: 'manual' });
  t.same([redirect.status, redirect.headers.get('location')], [307, 'https://example.com/x']);
  const bytes = await fetch(`${address}/api/functions/answers/bytes`);
  t.same([bytes.headers.get('content-type'), [...new Uint8Array(await bytes.arrayBuffer())]], ['image/x-odd', [0, 255, 128, 10]]);
  t.match(await request('/functions/answers/plain'), { status: 404, text: 'Not here, sorry' });
  const raw = Buffer.from([...Array(70_000).keys()].map(n => n % 256));
  const back = await fetch(`${address}/api/functions/answers/raw`, { method: 'POST', body: raw });
  t.ok(raw.equals(Buffer.from(await back.arrayBuffer())));
  t.match(await request('/functions/answers/raw', { method: 'POST', body: 'x'.repeat(10_485_761) }),
    { status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
  t.equal((await (await fetch(`${address}/api/functions/answers/large`)).arrayBuffer()).byteLength, 30_000_000);
  const head = await fetch(`${address}/api/functions/answers/bytes`, { method: 'HEAD' });
  t.same([head.status, head.headers.get('content-type'), await head.text()], [200, 'image/x-odd', '']);
});

test('a preflight is answered by the gateway', async t => {
  const { address, log } = await serveFunctions(t, { 'pre.js': `import { Hono } from 'hono'; const app = new Hono();
    app.all('*', c => { console.log('reached'); return c.text('x'); }); export default app;` });
  const headers = { origin: 'http://localhost:1', 'access-control-request-method': 'POST' };
  t.equal((await fetch(`${address}/api/functions/pre`, { method: 'OPTIONS', headers })).status, 204);
  t.notOk(log.some(({ msg }) => msg === 'reached'));
  t.equal(await (await fetch(`${address}/api/functions/pre`, { method: 'OPTIONS' })).text(), 'x');
});

test('a stream comes as it is made, and the handler learns that its client left', async t => {
  const { address, log } = await serveFunctions(t, { 'answers.js': ANSWERS }, { SERVICE_FUNCTIONS_TIMEOUT_MS: '0' });
  const said = (line: string) => until(line, () => Promise.resolve(log.some(({ msg }) => msg === line)));
  const leaving = new AbortController();
  const sse = await fetch(`${address}/api/functions/answers/sse`, { signal: leaving.signal, headers: { 'accept-encoding': 'gzip' } });
  t.same([sse.headers.get('content-type'), sse.headers.get('content-encoding')], ['text/event-stream', null]);
  const reader = sse.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('data: 3')) text += (await reader?.read())?.value ?? '';
  t.notMatch(text, /data: 100/);
  leaving.abort();
  await reader?.read().catch(() => undefined);
  await said('aborted the stream');
  await said('aborted the request');
  for (const method of ['GET', 'POST']) {
    const away = new AbortController();
    const waiting = fetch(`${address}/api/functions/answers/wait`, { method, signal: away.signal, ...(method === 'POST' && {
      body: 'x' }) });
    void setTimeout(200).then(() => away.abort());
    await t.rejects(waiting);
    await said(`${method} aborted`);
  }
});

test('a client that reads nothing holds the function back', async t => {
  const { address, log } = await serveFunctions(t, { 'answers.js': ANSWERS });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.pause();
  socket.write('GET /api/functions/answers/endless HTTP/1.1\r\nHost: x\r\n\r\n');
  const made = () => Number(log.findLast(({ msg }) => msg.startsWith('made '))?.msg.slice(5) ?? 0);
  let last = 0;
  await until('it stands still', async () => {
    const before = last;
    last = made();
    await setTimeout(300);
    return last > 0 && last === before;
  });
  t.ok(last < 30_000_000, `${last} bytes`);
  socket.destroy();
});

test('an answer that cannot be sent is 500, one that breaks ends the connection', async t => {
  const { address, request } = await serveFunctions(t, { 'answers.js': ANSWERS });
  for (const path of ['99', '600', 'split', 'string', 'strings']) {
    t.match(await request(`/functions/answers/${path}`), { status: 500, body: { error: { code: 'INTERNAL_ERROR' } } }, path);
  }
  const breaking = httpRequest(`${address}/api/functions/answers/breaks`).end();
  const [answer] = await once(breaking, 'response') as [IncomingMessage];
  await t.rejects((async () => { for await (const piece of answer) t.match(String(piece), /^(piece)+$/); })());
});
