import { test } from 'tap';
import type { Route } from '../../gateway/http/route.ts';
import { createRouter } from '../../gateway/http/router.ts';
import { errorOf, get, rawClient, seen, serve } from './serve.ts';

const routes: Route[] = [
  get('/data/collections', () => ({ body: '"collections"' })),
  get('/data/:slug', seen),
  get('/data/:slug/:id', seen),
  { method: 'POST', path: '/data/:slug', handle: seen },
  { method: 'DELETE', path: '/data/:slug/:id', handle: () => ({ status: 204 }) },
  get('/files/*', seen),
  { method: 'ANY', path: '/run/:name', handle: seen },
  get('/probe', seen, { root: true }),
];

async function body(url: string, init?: RequestInit): Promise<unknown> {
  return (await fetch(url, init)).json();
}

test('segments, names and the rest of the path', async t => {
  const { url } = await serve(t, routes);
  t.same(await body(`${url}/api/data/album?limit=1&x=%20`),
    { method: 'GET', path: '/data/album', query: 'limit=1&x=%20', params: { slug: 'album' } });
  t.same(await body(`${url}/api/data/album/1`), { method: 'GET', path: '/data/album/1', query: '', params: { slug: 'album', id: '1' } });
  t.same(await body(`${url}/api/data/collections`), 'collections');
  t.match(await body(`${url}/api/data/collections/1`), { params: { slug: 'collections', id: '1' } },
    'a longer path looks past the static segment');
  t.match(await body(`${url}/api/data/collections`, { method: 'POST' }), { params: { slug: 'collections' } }, 'and so does another method');
  t.match(await body(`${url}/api/files/a/b%20c/d.txt`), { params: { '*': 'a/b c/d.txt' } });
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) t.match(await body(`${url}/api/run/f`, { method }), { method });
});

test('parameters are percent-decoded, the path is as sent', async t => {
  const { url } = await serve(t, routes);
  t.match(await body(`${url}/api/data/album/a%2Fb%C3%A9%20c`), { path: '/data/album/a%2Fb%C3%A9%20c', params: { id: 'a/bé c' } });
  t.match(await body(`${url}/api/data/__proto__/constructor`), { params: { slug: '__proto__', id: 'constructor' } });
});

test('a bad percent-encoding is a bad request', async t => {
  const { url } = await serve(t, routes);
  for (const bad of ['%', '%zz', '%E0%A4%A', '%ff', '%C0%AF', 'a%00b']) {
    const response = await fetch(`${url}/api/data/album/${bad}`);
    t.equal(response.status, 400, bad);
    t.equal((await errorOf(response)).code, 'BAD_REQUEST', bad);
  }
});

test('params inherit nothing', t => {
  const match = createRouter([get('/:name', seen)], '').match('GET', '/x');
  t.equal(match?.params['constructor'], undefined);
  t.equal(Object.getPrototypeOf(match?.params), null);
  t.end();
});

test('unknown paths, empty segments and other methods are 404', async t => {
  const { url } = await serve(t, routes);
  for (const path of [
    '/', '/nothing', '/api', '/api/', '/api/nothing', '/apis/data/album', '/data/album', '/api/probe', '/api/data/', '/api/data//1',
    '/api/data/album/', '/api/data/album/1/', '/api/files/', '/api/files',
  ]) {
    const response = await fetch(url + path);
    t.equal(response.status, 404, path);
    t.match(await errorOf(response), { code: 'NOT_FOUND', message: String }, path);
  }
  for (const method of ['PUT', 'PATCH', 'DELETE']) t.equal((await fetch(`${url}/api/data/album`, { method })).status, 404, method);
  t.equal((await fetch(`${url}/api/data/album`, { method: 'PROPFIND' })).status, 404);
});

test('SERVICE_BASE_PATH moves all but root routes', async t => {
  const { url } = await serve(t, routes, { env: { SERVICE_BASE_PATH: 'rest/v1/' } });
  t.match(await body(`${url}/rest/v1/data/album/1`), { path: '/data/album/1' });
  t.match(await body(`${url}/probe`), { path: '/probe' });
  t.equal((await fetch(`${url}/api/data/album/1`)).status, 404);
});

test('SERVICE_BASE_PATH=/ serves from the root', async t => {
  const { url } = await serve(t, routes, { env: { SERVICE_BASE_PATH: '/' } });
  t.match(await body(`${url}/data/album/1`), { path: '/data/album/1', params: { slug: 'album', id: '1' } });
});

test('GET answers HEAD with the same headers and no body', async t => {
  const { url, port } = await serve(t, [...routes, get('/large', () => ({ body: 'ä'.repeat(100_000), type: 'text/plain' }))],
    { env: { SERVICE_COMPRESSION: 'false' } });
  for (const path of ['/api/data/collections', '/api/large']) {
    const [whole, head] = [await fetch(url + path), await fetch(url + path, { method: 'HEAD' })];
    t.equal(head.status, 200);
    t.equal(head.headers.get('content-length'), String((await whole.arrayBuffer()).byteLength), path);
    t.equal(head.headers.get('content-type'), whole.headers.get('content-type'));
    t.equal(await head.text(), '');
  }
  t.equal((await fetch(`${url}/api/nothing`, { method: 'HEAD' })).status, 404);
  const client = await rawClient(t, port);
  client.send('HEAD /api/data/album HTTP/1.1\r\nHost: x\r\n\r\nGET /api/data/collections HTTP/1.1\r\nHost: x\r\n\r\n');
  t.match(await client.until(/"collections"/), /^HTTP\/1.1 200[^]*?\r\n\r\nHTTP\/1.1 200/, 'the connection goes on');
});

test('OPTIONS names the methods of a path', async t => {
  const { url } = await serve(t,
    [...routes, { method: 'OPTIONS', path: '/own', handle: () => ({ status: 204, headers: { 'Tus-Version': '1.0.0' } }) }]);
  const response = await fetch(`${url}/api/data/album`, { method: 'OPTIONS' });
  t.equal(response.status, 204);
  t.equal(response.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
  t.equal(response.headers.get('content-length'), null);
  t.equal((await fetch(`${url}/api/data/album/1`, { method: 'OPTIONS' })).headers.get('allow'), 'GET, HEAD, DELETE, OPTIONS');
  t.equal((await fetch(`${url}/api/own`, { method: 'OPTIONS' })).headers.get('tus-version'), '1.0.0');
  t.equal((await fetch(`${url}/api/nothing`, { method: 'OPTIONS' })).status, 404);
});

test('a URL of more than 32 KiB is refused, a long one is not', async t => {
  const { url } = await serve(t, routes);
  t.equal((await fetch(`${url}/api/data/album?q=${'x'.repeat(30_000)}`)).status, 200);
  const response = await fetch(`${url}/api/data/album?q=${'x'.repeat(33_000)}`);
  t.equal(response.status, 414);
  t.equal((await errorOf(response)).code, 'URI_TOO_LONG');
});

test('a long URL in two packets is served like one in one packet', async t => {
  const { port } = await serve(t, routes);
  const client = await rawClient(t, port);
  client.socket.setNoDelay(true);
  client.send(`GET /api/data/album?q=${'x'.repeat(20_000)}`);
  await new Promise(resolve => setImmediate(resolve));
  client.send(`${'y'.repeat(5_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  t.match(await client.until(/"params"/), /^HTTP\/1.1 200/);
});
