import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { test } from 'tap';
import { encodingFrom } from '../../gateway/http/compression.ts';
import { ApiError } from '../../gateway/error.ts';
import { get, serve } from './serve.ts';

const text = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, title: `Row ${id} é` })));
const routes = [
  get('/large', () => ({ body: text })),
  get('/later', async () => ({ body: await Promise.resolve(Buffer.from(text)) })),
  get('/small', () => ({ body: 'x'.repeat(1024), type: 'text/plain' })),
  get('/image', () => ({ body: text, type: 'image/png' })),
  get('/events', () => ({ body: text, type: 'text/event-stream' })),
  get('/part', () => ({ status: 206, body: text })),
  get('/packed', () => ({ body: text, headers: { 'content-encoding': 'identity' } })),
  get('/fixed', () => ({ body: text, headers: { 'Cache-Control': 'no-transform' } })),
  get('/problem', () => { throw new ApiError(400, 'BAD_REQUEST', 'x'.repeat(5000)); }),
  get('/document', () => ({ body: text, type: 'application/openapi+json; charset=utf-8' })),
];

/** As the bytes come: fetch would unpack them. */
function raw(url: string, acceptEncoding: string, method = 'GET'): Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers: acceptEncoding === '' ? {} : { 'Accept-Encoding': acceptEncoding } }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end',
        () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    }).on('error', reject).end();
  });
}

test('a large text is packed as the client asks', async t => {
  const { url } = await serve(t, routes);
  for (const path of ['/api/large', '/api/later', '/api/document']) {
    const br = await raw(url + path, 'gzip, deflate, br');
    t.equal(br.headers['content-encoding'], 'br');
    t.match(br.headers.vary, /Accept-Encoding/);
    t.equal(br.headers['content-length'], String(br.body.length));
    t.equal(brotliDecompressSync(br.body).toString(), text);
    const gzip = await raw(url + path, 'gzip');
    t.equal(gzip.headers['content-encoding'], 'gzip');
    t.equal(gunzipSync(gzip.body).toString(), text);
    const plain = await raw(url + path, '');
    t.equal(plain.headers['content-encoding'], undefined);
    t.match(plain.headers.vary, /Accept-Encoding/);
    t.equal(plain.body.toString(), text);
  }
});

test('HEAD has the headers that GET has', async t => {
  const { url } = await serve(t, routes);
  const [whole, head] = [await raw(`${url}/api/large`, 'br'), await raw(`${url}/api/large`, 'br', 'HEAD')];
  t.match(head.headers, { 'content-encoding': 'br', 'content-length': String(whole.body.length) });
  t.equal(head.body.length, 0);
});

test('weights and refusals are honoured', t => {
  const expected: [string, string | undefined][] = [
    ['', undefined], ['identity', undefined], ['deflate', undefined], ['gzip', 'gzip'], ['br', 'br'], ['GZIP', 'gzip'], ['*', 'br'],
    ['gzip;q=0', undefined], ['br;q=0, gzip', 'gzip'], ['br;q=0.5, gzip;q=0.8', 'gzip'], ['gzip ; q=0.5 , br; q=0.5', 'br'],
    ['*;q=0', undefined], ['br;q=0, *', 'gzip'], ['gzip;q=0, br;q=0, *', undefined], ['br;q=x', undefined], ['gzip;q=-1', undefined],
    ['constructor', undefined],
  ];
  for (const [header, encoding] of expected) t.equal(encodingFrom(header), encoding, header);
  t.end();
});

test('small, packed, partial and binary answers stay as they are', async t => {
  const { url } = await serve(t, routes);
  for (const path of ['small', 'image', 'events', 'part', 'fixed']) {
    t.equal((await raw(`${url}/api/${path}`, 'br')).headers['content-encoding'], undefined, path);
  }
  t.equal((await raw(`${url}/api/packed`, 'br')).headers['content-encoding'], 'identity');
});

test('errors are packed like any answer', async t => {
  const { url } = await serve(t, routes);
  const { headers, body } = await raw(`${url}/api/problem`, 'gzip');
  t.equal(headers['content-encoding'], 'gzip');
  t.match(JSON.parse(gunzipSync(body).toString()), { error: { code: 'BAD_REQUEST' } });
});

test('SERVICE_COMPRESSION=false packs nothing', async t => {
  const { url } = await serve(t, routes, { env: { SERVICE_COMPRESSION: 'false' } });
  const { headers } = await raw(`${url}/api/large`, 'br');
  t.equal(headers['content-encoding'], undefined);
  t.equal(headers.vary, 'Origin');
});
