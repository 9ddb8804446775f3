import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { formOf, lendFiles, refusal, serveFiles, type UploadOptions } from './files.ts';

test('refusals of an upload, in order, which leave nothing', async t => {
  const { upload, base, folder, request } = await serveFiles(t,
    { env: { STORAGE_MAX_FILE_SIZE: '3000000', STORAGE_ALLOWED_MIME_TYPES: 'text/*, image/png' } });
  const large = new Uint8Array(3_000_001);
  const rows: [
    what: string, key: string | undefined, content: string | Uint8Array, options: UploadOptions, expected: [number, string],
  ][] = [
    ['nobody', 'a', 'x', { as: null }, [401, 'UNAUTHORIZED']],
    ['a credential that is none', 'a', 'x', { as: 'nonsense' }, [401, 'UNAUTHORIZED']],
    ['a source', 'a', 'x', { fields: { storageId: 'other' } }, [400, 'UNKNOWN_STORAGE_SOURCE']],
    ['a source of the query', 'a', 'x', { query: '?storageId=other' }, [400, 'UNKNOWN_STORAGE_SOURCE']],
    ['a bucket', 'a', 'x', { fields: { bucket: '../x' } }, [400, 'INVALID_STORAGE_BUCKET']],
    ['a long bucket', 'a', 'x', { fields: { bucket: 'x'.repeat(64) } }, [400, 'INVALID_STORAGE_BUCKET']],
    ['our own bucket', 'a', 'x', { fields: { bucket: '.uploads' } }, [400, 'INVALID_STORAGE_BUCKET']],
    ['a bucket before a key', '../a', 'x', { fields: { bucket: '.uploads' } }, [400, 'INVALID_STORAGE_BUCKET']],
    ['a source before a bucket', 'a', 'x', { fields: { bucket: '.uploads', storageId: 'other' } }, [400, 'UNKNOWN_STORAGE_SOURCE']],
    ...[
      '../a', 'a/../b', '..\\a', 'a\0b', 'x'.repeat(1025), '_service/renditions/x', './_service/x', 'folder/', '/', 'a.metadata.json',
      'x'.repeat(250), `${'y'.repeat(256)}/z`,
    ]
      .map((key): typeof rows[number] => ['a key', key, 'x', {}, [400, 'INVALID_STORAGE_KEY']]),
    ['a type', 'a', 'x', { type: 'application/pdf' }, [415, 'UNSUPPORTED_MEDIA_TYPE']],
    ['a size', 'a', large, {}, [413, 'PAYLOAD_TOO_LARGE']],
    ['too long a field', 'a', 'x', { fields: { metadata_a: 'x'.repeat(20_000) } }, [400, 'BAD_REQUEST']],
    [
      'too many fields', 'a', 'x', { fields: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, ''])) },
      [400, 'BAD_REQUEST'],
    ],
  ];
  for (const [what, key, content, options, expected] of rows) {
    for (const last of [false, true]) {
      const answer = await upload(key, content, { ...options, last });
      t.same((await refusal(answer)).slice(0, 2), expected, `${what} ${key?.slice(0, 30) ?? ''} ${last ? 'before' : 'after'} the file`);
    }
  }
  const post = (body: NonNullable<RequestInit['body']>, type?: string) => fetch(`${base}/upload`,
    { method: 'POST', body, headers: { authorization: `Bearer ${SERVICE_KEY}`, ...(type !== undefined && { 'content-type': type }) } });
  const plain = new FormData();
  plain.append('file', 'a text');
  const other = new FormData();
  other.append('image', new Blob(['x']), 'x.txt');
  const multipart = 'multipart/form-data; boundary=x';
  const part = (head: string) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\nabc\r\n`;
  const nameless = [
    ['a field without a name', 'x=1'], ['a field with an empty name', 'name=""'], ['a file without a name', 'filename="b"'],
  ] as const;
  const bodies: [string, NonNullable<RequestInit['body']>, string | undefined, [number, string]][] = [
    ['no form', '{}', 'application/json', [415, 'UNSUPPORTED_MEDIA_TYPE']], ['no type', '', undefined, [415, 'UNSUPPORTED_MEDIA_TYPE']],
    ['another form', 'file=x', 'application/x-www-form-urlencoded', [415, 'UNSUPPORTED_MEDIA_TYPE']],
    ['a text as file', plain, undefined, [400, 'BAD_REQUEST']], ['no file', other, undefined, [400, 'BAD_REQUEST']],
    ['an empty form', new FormData(), undefined, [400, 'BAD_REQUEST']],
    ['no boundary', '', 'multipart/form-data; x=1', [400, 'BAD_REQUEST']],
    ['no end', '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc', multipart, [400, 'BAD_REQUEST']],
    ['no parts', 'abc', multipart, [400, 'BAD_REQUEST']], ['no bytes', '', multipart, [400, 'BAD_REQUEST']],
    ['an end in the head', '--x\r\nContent-Disposition: form-data; name="file"; filename="a"', multipart, [400, 'BAD_REQUEST']],
    ...nameless.map(([what, head]): typeof bodies[number] =>
      [what, part(head) + part('name="file"; filename="a"') + '--x--\r\n', multipart, [400, 'BAD_REQUEST']]),
    ['a head that is none', '--x\r\n\u0000: y\r\n\r\nabc\r\n--x--\r\n', multipart, [400, 'BAD_REQUEST']],
  ];
  for (const [what, body, type, expected] of bodies) t.same(await refusal(await post(body, type)), expected, what);
  t.same((await request('/storage/list')).body.data, { items: [], prefixes: [] });
  t.same(existsSync(join(folder, '.uploads')) ? readdirSync(join(folder, '.uploads')) : [], []);
});

test('no folder can take the name of the sidecar of a file', async t => {
  const { upload, read, base, folder } = await lendFiles(t);
  const make = (path: string) => fetch(`${base}/folder`, {
    method: 'POST', headers: { 'authorization': `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });
  for (const key of ['x.png.metadata.json/a', 'a/x.png.METADATA.json/b', 'x.png.metadata.json']) {
    t.same((await refusal(await upload(key, 'x'))).slice(0, 2), [400, 'INVALID_STORAGE_KEY'], key);
  }
  t.same((await refusal(await make('x.png.metadata.json'))).slice(0, 2), [400, 'INVALID_STORAGE_KEY']);
  t.equal(existsSync(join(folder, 'default', 'x.png.metadata.json')), false);
  t.equal((await upload('x.png', 'x', { type: 'image/png', name: 'x.png' })).status, 201);
  t.equal((await read('x.png')).headers.get('content-type'), 'image/png');
});

test('an upload that announces more than any source takes is refused before its body comes', async t => {
  const { base } = await serveFiles(t, { env: { STORAGE_MAX_FILE_SIZE: '3000000' } });
  const { hostname, port, pathname } = new URL(base);
  const heads: [what: string, head: string[], status: RegExp][] = [
    [
      'a form', ['POST upload', 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 90000000'],
      /^HTTP\/1.1 413 [^]*PAYLOAD_TOO_LARGE[^]*"limit":3000000/,
    ],
    [
      'a form with its first line', ['POST upload', 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 90000000', '', '--x'],
      /^HTTP\/1.1 413 [^]*PAYLOAD_TOO_LARGE/,
    ],
    ['a resumable upload', ['POST tus', 'Upload-Length: 3000001', 'Content-Length: 3000001'], /^HTTP\/1.1 413 [^]*PAYLOAD_TOO_LARGE/],
    [
      'a form of a stranger',
      ['POST upload', 'Authorization: ', 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 90000000'], /^HTTP\/1.1 401 /,
    ],
  ];
  for (const [what, [line = '', ...lines], expected] of heads) {
    const socket = connect(Number(port), hostname);
    const [method, path] = line.split(' ');
    const credential = lines.some(header => header.startsWith('Authorization')) ? [] : [`Authorization: Bearer ${SERVICE_KEY}`];
    socket.setTimeout(5_000, () => { socket.destroy(); });
    socket.write([
      `${method} ${pathname}/${path} HTTP/1.1`, 'Host: x', ...credential, ...lines, ...lines.includes('') ? [''] : ['', ''],
    ].join('\r\n'));
    let answer = '';
    for await (const bytes of socket) {
      answer += String(bytes);
      if (answer.endsWith('}}')) break;
    }
    t.match(answer, expected, what);
  }
});

test('where a file goes', async t => {
  const { upload, read, request } = await lendFiles(t);
  const rows: [key: string | undefined, options: UploadOptions, data: object][] = [
    ['//a/./b', {}, { key: 'a/b', bucket: 'default', storageUrl: 'local://default/a/b' }],
    [undefined, { name: 'named.txt' }, { key: 'named.txt' }], ['', { name: 'ümläut.txt' }, { key: 'ümläut.txt' }],
    [undefined, { name: 'dir/../evil"\r\n.txt' }, { key: 'evil%22%0D%0A.txt' }],
    ['c', { fields: { bucket: 'other' } }, { key: 'c', bucket: 'other', storageUrl: 'local://other/c' }],
    ['d', { fields: { bucket: 'default', storageId: ' (default) ' } }, { key: 'd', bucket: 'default' }],
    ['d', { fields: { storageId: '' }, query: '?storageId=' }, { key: 'd' }], ['default/e', {}, { key: 'default/e' }],
    ['__proto__', {}, { key: '__proto__' }], ['😀/é', {}, { key: '😀/é' }],
  ];
  for (const [key, options, data] of rows) {
    for (const last of [false, true]) {
      const answer = await upload(key, 'x', { ...options, last });
      t.match([answer.status, await answer.json()], [201, { data }], `${key ?? ''} ${JSON.stringify(options)}`);
    }
  }
  t.equal((await read('c')).status, 404, 'a file\'s address knows the default bucket alone');
  t.match((await request('/storage/list?bucket=other')).body.data.items, [{ bucket: 'other', fullPath: 'c' }]);
  t.equal((await read('default/default/e')).status, 200);
  await upload('meta', 'x', { fields: { 'metadata_a': '1', 'metadata___proto__': 'p', 'metadata_size': 'mine', 'other': 'x' } });
  const { customMetadata, size } = (await request('/storage/metadata/meta')).body.data;
  t.same([customMetadata.a, Object.hasOwn(customMetadata, '__proto__'), size, customMetadata.size, 'other' in customMetadata],
    ['1', true, 1, 1, false]);
});

test('folders and files do not take each other\'s place', async t => {
  const { upload, request, folder } = await lendFiles(t);
  const made = (body: object) => request('/storage/folder', { method: 'POST', body: JSON.stringify(body) });
  const del = async (key: string) => (await request(`/storage/file/${key}`, { method: 'DELETE' })).body;
  t.same([(await made({ path: 'a/b' })).status, (await made({ path: '/a//b/' })).body], [201, { message: 'Folder created' }]);
  t.same((await request('/storage/list?prefix=a')).body.data.prefixes,
    [{ bucket: 'default', fullPath: 'a/b', name: 'b', parent: null, root: null }]);
  t.same(await refusal(await upload('a/b', 'x')), [409, 'CONFLICT']);
  await upload('f', 'x');
  t.same(await refusal(await upload('f/g', 'x')), [409, 'CONFLICT']);
  t.match(await made({ path: 'f' }), { status: 409 });
  t.match(await made({ path: 'f/g' }), { status: 409 });
  await upload('a/b/c', 'x');
  t.same(await del('a/b'), { message: 'File deleted' }, 'which it is not: something is in it');
  await del('a/b/c');
  await del('a/b');
  t.notOk(existsSync(join(folder, 'default/a/b')));
  t.same(await del('f/'), { message: 'File deleted' });
  t.ok(existsSync(join(folder, 'default/f')), 'f/ is not f');
  t.same(await del('nothing/at/all'), { message: 'File deleted' });
  await del('a');
  await del('f');
  await del('.');
  t.ok(existsSync(join(folder, 'default')));
  for (const body of [{}, { path: '' }, { path: ' ' }, { path: '/' }, { path: './.' }, { path: 7 }, { path: 'a', bucket: 7 }]) {
    t.match(await made(body), { status: 400, body: { error: { code: 'BAD_REQUEST' } } }, JSON.stringify(body));
  }
  for (const [body, code] of [
    [{ path: '../a' }, 'INVALID_STORAGE_KEY'], [{ path: 'a', bucket: '-' }, 'INVALID_STORAGE_BUCKET'],
    [{ path: 'a', storageId: 'x' }, 'UNKNOWN_STORAGE_SOURCE'], [{ path: '\ud800' }, 'INVALID_STORAGE_KEY'],
  ] as const) t.match(await made(body), { status: 400, body: { error: { code } } });
  t.match(await request('/storage/folder', { method: 'POST', as: null, body: '{"path":"a"}' }), { status: 401 });
});

test('a list has one level, in pages', async t => {
  const { upload, request, folder } = await lendFiles(t);
  for (const key of ['b/1', 'b/2', 'b-', 'b.txt', 'a', 'c', 'b/sub/x']) await upload(key, 'x');
  mkdirSync(join(folder, 'default/_service/renditions'), { recursive: true });
  writeFileSync(join(folder, 'default/by-hand'), 'x');
  const list = async (query: string) => (await request(`/storage/list?${query}`)).body;
  const names = ({ data }: { data: { items: { fullPath: string }[]; prefixes: { fullPath: string }[] } }) =>
    [data.items.map(item => item.fullPath), data.prefixes.map(item => item.fullPath)];
  t.same(names(await list('')), [['a', 'b-', 'b.txt', 'by-hand', 'c'], ['b']]);
  for (const query of ['prefix=b', 'path=b/', 'prefix=/b//', 'prefix=b&bucket=default']) {
    t.same(names(await list(query)), [['b/1', 'b/2'], ['b/sub']], query);
  }
  for (const query of ['prefix=nothing', 'prefix=a', 'bucket=nothing', 'prefix=b/1/x']) {
    t.same(await list(query), { data: { items: [], prefixes: [] } }, query);
  }
  for (const size of [1, 2, 3, 100]) {
    const seen: unknown[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const page = await list(`maxResults=${size}&pageToken=${token}`);
      seen.push(...names(page).flat());
      token = page.data.nextPageToken;
    }
    t.same(seen.sort(), ['a', 'b', 'b-', 'b.txt', 'by-hand', 'c'], `pages of ${size}`);
  }
  for (const query of [
    'maxResults=0', 'maxResults=-1', 'maxResults=1.5', 'maxResults=x', 'pageToken=x', 'pageToken=0', 'pageToken=YWZ0ZXI6',
  ]) {
    t.match(await list(query), { error: { code: 'INVALID_LIST_OPTIONS' } }, query);
  }
  for (const [query, code] of [
    ['prefix=../x', 'INVALID_STORAGE_KEY'], ['prefix=_service', 'INVALID_STORAGE_KEY'], ['bucket=.uploads', 'INVALID_STORAGE_BUCKET'],
    ['storageId=x', 'UNKNOWN_STORAGE_SOURCE'],
  ] as const) t.match(await list(query), { error: { code } }, query);
  t.match(await request('/storage/list', { as: null }), { status: 401 });
});

test('a disk that does not take it says so', async t => {
  const { upload, read } = await serveFiles(t, { env: { STORAGE_PATH: '/dev/null/x' } });
  for (const last of [false, true]) {
    t.same(await refusal(await upload('a', 'x'.repeat(2_000_000), { last })), [502, 'STORAGE_WRITE_FAILED']);
  }
  t.same(await refusal(await read('a')), [404, 'NOT_FOUND']);
});

test('nothing is left of an upload whose client leaves, and a slow one is served', async t => {
  const { address, folder, request } = await lendFiles(t);
  const send = (text: string) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => undefined).write(`POST /api/storage/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SERVICE_KEY}`
      + `\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n${text}`);
    return socket;
  };
  const aside = () => existsSync(join(folder, '.uploads')) ? readdirSync(join(folder, '.uploads')) : [];
  const leaves = send('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nsome bytes');
  await until('the file has begun', () => Promise.resolve(aside().length === 1));
  leaves.destroy();
  await until('it is gone', () => Promise.resolve(aside().length === 0));
  const slow = send('--x\r\nContent-Disposition: form-data; name="file"; filename="slow"\r\n\r\n');
  let answer = '';
  slow.on('data', piece => { answer += String(piece); });
  const end = '\r\n--x--\r\n';
  let left = 100_000 - '--x\r\nContent-Disposition: form-data; name="file"; filename="slow"\r\n\r\n'.length - end.length;
  for (; left > 50_000; left -= 10_000) {
    slow.write('y'.repeat(10_000));
    await setTimeout(5);
  }
  slow.write('y'.repeat(left) + end);
  await until('it is answered', () => Promise.resolve(answer.includes('"key":"slow"')));
  t.match((await request('/storage/metadata/slow')).body.data,
    { size: 100_000 - '--x\r\nContent-Disposition: form-data; name="file"; filename="slow"\r\n\r\n'.length - end.length });
  slow.destroy();
});

test('keys have scopes of storage, narrowed to a source', async t => {
  const { request, upload, read } = await lendFiles(t);
  const key = async (...scopes: string[]) =>
    (await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes }) })).body.key.key as string;
  const [reads, writes, deletes, narrow, none] = await Promise.all([
    key('storage:read'), key('storage:write'), key('storage:delete'), key('storage:read:(default)', 'storage:write:(default)'),
    key('data:read'),
  ]);
  t.same((await refusal(await upload('a', 'x', { as: reads }))).slice(0, 2), [403, 'API_KEY_FORBIDDEN']);
  t.equal((await upload('a', 'x', { as: writes })).status, 201);
  t.equal((await upload('b', 'x', { as: narrow })).status, 201);
  t.same([
    (await read('a', { as: reads })).status, (await read('a', { as: narrow })).status, (await read('a', { as: writes })).status,
    (await read('a', { as: none })).status,
  ], [200, 200, 403, 403]);
  t.same([(await request('/storage/list', { as: reads })).status, (await request('/storage/list', { as: deletes })).status], [200, 403]);
  t.same([
    (await request('/storage/file/a', { method: 'DELETE', as: narrow })).status,
    (await request('/storage/file/a', { method: 'DELETE', as: deletes })).status,
  ], [403, 200]);
});

test('the settings say whether there is storage, and whether anonymous callers may use it', async t => {
  const open = await serveFiles(t, { env: { STORAGE_PUBLIC_READ: 'true' } });
  await open.upload('a', 'x');
  const answer = await open.read('a', { as: null });
  t.same([answer.status, answer.headers.get('cache-control')], [200, 'public, max-age=60, stale-while-revalidate=86400, must-revalidate']);
  t.same([
    (await open.upload('b', 'x', { as: null })).status, (await open.request('/storage/list', { as: null })).status,
    (await open.request('/storage/metadata/a', { as: null })).status,
  ], [401, 401, 200]);
  t.same((await open.request('/storage/sources')).body, { data: [{ key: '(default)', engine: 'local', transport: 'server' }] });
  t.equal((await open.request('/storage/sources', { as: null })).status, 401);
  t.equal((await open.request('/storage/list', { as: await tokenFor('ada') })).status, 200);
  const free = await serveFiles(t, { env: { AUTH_REQUIRE: 'false' } });
  t.equal((await free.upload('a', 'x', { as: null })).status, 201);
  t.equal((await free.read('a', { as: null })).status, 200);
  const limited = await serveFiles(t, { env: { SERVICE_DATA_RATE_LIMIT: '2' } });
  const ada = await tokenFor('ada');
  t.same([
    (await limited.upload('a', 'x', { as: ada })).status, (await limited.read('a', { as: ada })).status,
    (await limited.read('a', { as: ada })).status,
  ], [201, 200, 429]);
  const { url } = await createDatabase(t, { template: 'served' });
  const { request, close } = await openService(url, { NODE_ENV: 'production', CORS_ORIGINS: 'https://a.example', DATABASE_URL: url });
  t.teardown(close);
  for (const [path, method] of [
    ['', 'GET'], ['/list', 'GET'], ['/file/public/a', 'GET'], ['/upload', 'POST'], ['/tus/x', 'PATCH'], ['/no/such', 'PUT'],
  ] as const) {
    t.match(await request(`/storage${path}`, { method, as: null }), {
      status: 501,
      body: { error: { code: 'STORAGE_NOT_CONFIGURED', message: /FORCE_LOCAL_STORAGE/, details: { setting: 'FORCE_LOCAL_STORAGE' } } },
    }, path);
  }
  t.equal(formOf('a', 'x').get('key'), 'a');
});
