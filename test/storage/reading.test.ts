import { request as ask } from 'node:http';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { test } from 'tap';
import { JWT_SECRET, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { lendFiles, refusal } from './files.ts';

/** A path as it is: `fetch` would resolve what leads upwards. */
function rawly(
  address: string, path: string, headers: Record<string, string> = { authorization: `Bearer ${SERVICE_KEY}` }, method = 'GET',
): Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    ask({ hostname, port, path, method, headers }, answer => {
      let text = '';
      answer.setEncoding('latin1').on('data', (piece: string) => { text += piece; });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers })).on('error', reject);
    }).on('error', reject).end();
  });
}

test('a path is decoded once, and leads nowhere else', async t => {
  const { address, upload, folder } = await lendFiles(t);
  await upload('a/b c.txt', 'found');
  await upload('100%.txt', 'percent');
  await upload('a..b/....', 'dots');
  writeFileSync(join(folder, '..', 'secret'), 'secret');
  mkdirSync(join(folder, 'default/real'));
  writeFileSync(join(folder, 'default/real/file'), 'real');
  symlinkSync(join(folder, '../secret'), join(folder, 'default/link'));
  symlinkSync(join(folder, '..'), join(folder, 'default/up'));
  symlinkSync(join(folder, 'default/real'), join(folder, 'default/inside'));
  const rows: [path: string, status: number, expected: string][] = [
    ['a/b%20c.txt', 200, 'found'], ['a//b%20c.txt', 200, 'found'], ['/a/./b%20c.txt', 200, 'found'], ['a%2Fb%20c.txt', 200, 'found'],
    ['default/a/b%20c.txt', 200, 'found'], ['DEFAULT/a/b%20c.txt', 200, 'found'], ['%64efault/a/b%20c.txt', 200, 'found'],
    ['100%25.txt', 200, 'percent'], ['100%2525.txt', 404, 'NOT_FOUND'], ['a..b/....', 200, 'dots'], ['real/file', 200, 'real'],
    ...[
      '../secret', 'a/../../secret', '..%2fsecret', '%2e%2e/secret', 'a/%2E./../secret', '..\\secret', 'a%5c..%5csecret', 'a/..', '..',
      'public/../a', '%2e%2e%2f%2e%2e%2fetc/passwd',
    ]
      .map((path): [string, number, string] => [path, 400, 'INVALID_STORAGE_KEY']),
    ...[
      'a%00b', 'a%', '%zz', '%ff', '%c0%ae%c0%ae/secret', '_service/renditions/x', 'default/_service/renditions/x', '/./_service',
      '_service', 'x'.repeat(1025),
    ]
      .map((path): [string, number, string] => [path, 400, 'INVALID_STORAGE_KEY']),
    ['x'.repeat(250), 400, 'INVALID_STORAGE_KEY'], ['a/b%20c.txt.metadata.json', 400, 'INVALID_STORAGE_KEY'],
    ['a', 404, 'NOT_FOUND'], ['a/', 404, 'NOT_FOUND'], ['a/b%20c.txt/', 404, 'NOT_FOUND'], ['a/b%20c.txt/d', 404, 'NOT_FOUND'],
    ['nothing', 404, 'NOT_FOUND'], ['', 404, 'NOT_FOUND'], ['.', 404, 'NOT_FOUND'], ['link', 404, 'NOT_FOUND'],
    ['up/secret', 404, 'NOT_FOUND'], ['inside/file', 404, 'NOT_FOUND'], ['..%252fsecret', 404, 'NOT_FOUND'],
    ['.tus-uploads/x', 404, 'NOT_FOUND'], ['.uploads', 404, 'NOT_FOUND'],
  ];
  for (const [path, status, expected] of rows) {
    const answer = await rawly(address, `/api/storage/file/${path}`);
    t.same([answer.status, answer.text.includes(expected)], [status, true],
      `${path.slice(0, 60)}: ${answer.status} ${answer.text.slice(0, 90)}`);
    if (status !== 200) for (const method of ['DELETE', 'HEAD']) {
      const other = await rawly(address, `/api/storage/file/${path}`, undefined, method);
      t.ok(other.status === status || (method === 'DELETE' && status === 404 && other.status === 200),
        `${method} ${path.slice(0, 60)} ${other.status}`);
    }
  }
  t.equal((await rawly(address, '/api/storage/file')).status, 404);
  t.match(JSON.parse((await rawly(address, '/api/storage/file', undefined, 'DELETE')).text), { message: 'No file to delete' });
  t.equal((await rawly(address, '/api/storage/metadata/')).status, 404);
});

test('a read file has its headers, for any caller and request', async t => {
  const { upload, read } = await lendFiles(t);
  await upload('public/a.txt', 'hello world'.repeat(1000));
  await upload('private.txt', 'hello');
  const open = await read('public/a.txt', { as: null, headers: { 'accept-encoding': 'gzip, br' } });
  const modified = new Date(open.headers.get('last-modified') ?? '').getTime();
  t.match(Object.fromEntries(open.headers), {
    'cross-origin-resource-policy': 'cross-origin', 'x-content-type-options': 'nosniff', 'content-type': 'text/plain',
    'accept-ranges': 'bytes', 'content-length': '11000',
    'cache-control': 'public, max-age=60, stale-while-revalidate=86400, must-revalidate',
  });
  t.match(open.headers.get('etag'), new RegExp(`^W/"${(11000).toString(16)}-[0-9a-f]+"$`));
  t.equal(Math.floor(Number.parseInt(open.headers.get('etag')?.slice(8) ?? '', 16) / 1000) * 1000, modified);
  t.match(open.headers.get('vary'), /Authorization/);
  t.same(['content-encoding', 'x-frame-options', 'content-disposition'].map(name => open.headers.get(name)), [null, null, null]);
  const closed = await read('private.txt');
  t.equal(closed.headers.get('cache-control'), 'private, max-age=60, must-revalidate');
  const head = await read('private.txt', { method: 'HEAD' });
  t.same([head.status, head.headers.get('content-length'), head.headers.get('etag'), await head.text()],
    [200, '5', closed.headers.get('etag'), '']);
});

test('conditionals, then ranges', async t => {
  const { upload, read } = await lendFiles(t);
  await upload('public/d', '0123456789', { type: 'application/pdf' });
  await upload('public/empty', '');
  const { headers } = await read('public/d', { as: null });
  const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? ''];
  const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
  const rows: [headers: Record<string, string>, status: number, body?: string, contentRange?: string][] = [
    [{ 'if-none-match': etag }, 304], [{ 'if-none-match': etag.slice(2) }, 304], [{ 'if-none-match': `"x", ${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304], [{ 'if-none-match': '"x"' }, 200, '0123456789'],
    [{ 'if-none-match': '"x"', 'if-modified-since': modified }, 200, '0123456789'], [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': earlier }, 200, '0123456789'], [{ 'if-modified-since': 'x' }, 200, '0123456789'],
    [{ 'if-none-match': etag, 'range': 'bytes=0-1' }, 304],
    [{ range: 'bytes=2-4' }, 206, '234', 'bytes 2-4/10'], [{ range: 'bytes=7-' }, 206, '789', 'bytes 7-9/10'],
    [{ range: 'bytes=-3' }, 206, '789', 'bytes 7-9/10'], [{ range: 'bytes=-30' }, 206, '0123456789', 'bytes 0-9/10'],
    [{ range: 'bytes=8-99' }, 206, '89', 'bytes 8-9/10'], [{ range: 'bytes=0-0' }, 206, '0', 'bytes 0-0/10'],
    [{ range: 'bytes=8-99999999999999999999999' }, 206, '89', 'bytes 8-9/10'],
    ...['bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b', 'bytes=-', 'bytes', 'bytes=1-2-3', 'x']
      .map((range): [Record<string, string>, number, string] => [{ range }, 200, '0123456789']),
    ...['bytes=10-', 'bytes=10-11', 'bytes=-0', 'bytes=4-3'].map((range): [Record<string, string>, number, string, string] =>
      [{ range }, 416, '', 'bytes */10']),
    [{ 'range': 'bytes=2-4', 'if-range': modified }, 206, '234', 'bytes 2-4/10'],
    [{ 'range': 'bytes=2-4', 'if-range': etag }, 200, '0123456789'], [{ 'range': 'bytes=2-4', 'if-range': earlier }, 200, '0123456789'],
  ];
  for (const [asked, status, body = '', contentRange = null] of rows) {
    const answer = await read('public/d', { as: null, headers: asked });
    t.same([answer.status, await answer.text(), answer.headers.get('content-range'), answer.headers.get('etag')],
      [status, body, contentRange, etag], JSON.stringify(asked));
    const head = await read('public/d', { as: null, headers: asked, method: 'HEAD' });
    t.same([head.status, head.headers.get('content-length')], [status, status === 304 ? null : String(body.length)],
      `HEAD ${JSON.stringify(asked)}`);
  }
  for (const range of ['bytes=0-', 'bytes=-1']) t.equal((await read('public/empty', { as: null, headers: { range } })).status, 416, range);
  const large = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));
  await upload('public/large', large);
  const part = await read('public/large', { as: null, headers: { range: 'bytes=100000-600000' } });
  t.ok(Buffer.from(await part.arrayBuffer()).equals(large.subarray(100_000, 600_001)));
});

test('a browser does nothing with what it could run', async t => {
  const { upload, read, folder } = await lendFiles(t);
  const attachment: [string | null, string | null] = ['application/octet-stream', 'attachment'];
  const rows: [type: string, shown: [string | null, string | null], csp?: string][] = [
    ['image/png', ['image/png', null]], ['video/mp4', ['video/mp4', null]], ['audio/mpeg', ['audio/mpeg', null]],
    ['application/pdf', ['application/pdf', null]],
    ['image/svg+xml', ['image/svg+xml', null], "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
    ...[
      'text/html', 'application/xhtml+xml', 'text/xml', 'application/javascript', 'image/svg', 'image/x-svg', 'image/svg+xml+x',
      'application/json', 'text/css',
    ]
      .map((type): [string, [string | null, string | null]] => [type, attachment]),
  ];
  for (const [type, shown, csp = null] of rows) {
    await upload('public/x', '<script>alert(1)</script>', { type });
    const { headers } = await read('public/x', { as: null });
    t.same([
      [headers.get('content-type'), headers.get('content-disposition')], headers.get('content-security-policy'),
      headers.get('x-content-type-options'),
    ], [shown, csp, 'nosniff'], type);
  }
  for (const contentType of ['text/html\r\nX-Evil: 1', 'image/png\u0000', 'image/<b>', 7, null]) {
    writeFileSync(join(folder, 'default/public/x.metadata.json'), JSON.stringify({ contentType }));
    writeFileSync(join(folder, 'default/public/x'), String(Math.random()));
    const { status, headers } = await read('public/x', { as: null });
    t.same([status, headers.get('content-type'), headers.get('x-evil')], [200, 'application/octet-stream', null],
      JSON.stringify(contentType));
  }
});

const sign = (claims: Record<string, unknown>, secret = JWT_SECRET, expires = '5m') =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(expires).sign(new TextEncoder().encode(secret));

test('a download token opens its path, and no other door', async t => {
  const { upload, read, base, request } = await lendFiles(t);
  for (const key of ['a/b.txt', 'a/c.txt', 'ab.txt', 'public/p.txt', 'publicx/p.txt']) await upload(key, key);
  const { token } = (await request('/storage/metadata/a/b.txt')).body.data as { token: string };
  const claims = { purpose: 'file-read', path: 'default/a/b.txt', storageId: '(default)' };
  const [session, folder, unslashed] = await Promise.all([
    tokenFor('ada'), sign({ ...claims, path: 'default/a/' }), sign({ ...claims, path: 'default/a' }),
  ]);
  const rows: [key: string, token: string, status: number, code?: string][] = [
    ['a/b.txt', token, 200], ['default/a/b.txt', token, 200], ['a//./b.txt?storageId=%20', token, 200], [
      'a/b.txt?storageId=(default)', token, 200,
    ],
    ['a/c.txt', token, 403, 'FORBIDDEN'], ['a/b.txt/x', token, 403, 'FORBIDDEN'], ['A/b.txt', token, 403, 'FORBIDDEN'],
    ['a/b.txt?storageId=other', token, 403, 'FORBIDDEN'], ['a/b.txt', await sign({ ...claims, storageId: 'other' }), 403, 'FORBIDDEN'],
    ['a/b.txt', folder, 200], ['a/c.txt', folder, 200], ['ab.txt', folder, 403, 'FORBIDDEN'],
    ['a/b.txt', unslashed, 200], ['a/c.txt', unslashed, 200], ['ab.txt', unslashed, 403, 'FORBIDDEN'],
    ['publicx/p.txt', unslashed, 403, 'FORBIDDEN'], ['a/b.txt', await sign({ ...claims, path: 'default' }), 200],
    ['a/b.txt', await sign({ ...claims, path: '' }), 403, 'FORBIDDEN'],
    ['a/b.txt', await sign({ ...claims, path: 'default/x/../a' }), 403, 'FORBIDDEN'],
    ['a/b.txt', await sign({ ...claims, path: 'default/a', exact: true }), 403, 'FORBIDDEN'],
    ['a/b.txt', await sign(claims, 'another secret that is long enough 0123456789'), 401, 'UNAUTHORIZED'],
    ['a/b.txt', await sign(claims, JWT_SECRET, '-1s'), 401, 'UNAUTHORIZED'],
    ['a/b.txt', await sign({ ...claims, purpose: 'mfa-pending' }), 401, 'UNAUTHORIZED'],
    ['a/b.txt', `${token.slice(0, -3)}AAA`, 401, 'UNAUTHORIZED'],
    [
      'a/b.txt', await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(JWT_SECRET)), 401,
      'UNAUTHORIZED',
    ],
    ['a/b.txt', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1] ?? ''}.`, 401, 'UNAUTHORIZED'],
    ['a/b.txt', 'x', 401, 'UNAUTHORIZED'],
  ];
  for (const [key, token, status, code] of rows) {
    for (const [url, headers] of [
      [`${base}/file/${key}${key.includes('?') ? '&' : '?'}token=${token}`, {}],
      [`${base}/file/${key}`, { authorization: `Bearer ${token}` }],
    ] as const) {
      const answer = await fetch(url, { headers });
      t.equal(answer.status, status, `${key} ${url.length}`);
      if (code !== undefined) t.equal((await refusal(answer))[1], code);
    }
  }
  t.same(await refusal(await fetch(`${base}/file/a/b.txt?token=${session}`)), [401, 'UNAUTHORIZED'], 'no session in an address');
  t.same(await refusal(await fetch(`${base}/file/public/p.txt?token=x`)), [401, 'UNAUTHORIZED']);
  t.equal((await read('a/b.txt', { as: session })).status, 200, 'a bearer goes first');
  t.equal((await fetch(`${base}/file/a/b.txt?token=x`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } })).status, 200);
  t.same(await refusal(await fetch(`${base}/metadata/a/b.txt`, { headers: { authorization: `Bearer ${token}` } })), [403, 'FORBIDDEN']);
  for (const [method, path] of [
    ['GET', 'list'], ['DELETE', 'file/a/b.txt'], ['GET', 'sources'], ['POST', 'upload'], ['POST', 'folder'],
  ] as const) {
    t.equal((await fetch(`${base}/${path}`, { method, headers: { authorization: `Bearer ${token}` } })).status, 401, path);
  }
  for (const [key, status] of [
    ['public/p.txt', 200], ['default/public/p.txt', 200], ['//public/./p.txt', 200], ['publicx/p.txt', 401], ['PUBLIC/p.txt', 401],
    ['x/public/p.txt', 401], ['default/default/public/p.txt', 401], ['public', 401],
  ] as const) {
    t.equal((await read(key, { as: null })).status, status, key);
  }
  t.same((await request('/storage/metadata/public/p.txt')).body.data,
    { ...(await request('/storage/metadata/public/p.txt')).body.data, public: true });
  t.notOk('token' in (await request('/storage/metadata/public/p.txt')).body.data);
});
