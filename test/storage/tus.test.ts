import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { lendFiles, refusal, serveFiles } from './files.ts';
import { begin, metadata, offsetOf, piece, PIECE, tus, type TusOptions } from './tus-client.ts';

const left = (folder: string) => { try { return readdirSync(join(folder, '.tus-uploads')); } catch { return []; } };

test('a file comes in pieces', async t => {
  const service = await lendFiles(t);
  const offer = await tus(service, 'OPTIONS', '', { as: null });
  t.equal(offer.status, 204);
  t.match(Object.fromEntries(offer.headers),
    { 'tus-resumable': '1.0.0', 'tus-version': '1.0.0', 'tus-extension': 'creation,termination', 'tus-max-size': '5368709120' });

  const said = metadata({ key: 'a/b.txt', filename: 'c.txt', contentType: 'text/plain', other: 'x' });
  const created = await tus(service, 'POST', '', { headers: { 'upload-length': '11', 'upload-metadata': said } });
  t.equal(created.status, 201);
  t.equal(await created.text(), '');
  t.match(Object.fromEntries(created.headers), { 'upload-offset': '0', 'tus-resumable': '1.0.0' });
  const id = created.headers.get('location') ?? '';
  t.match(id, new RegExp(`^${service.address}/api/storage/tus/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`));
  t.equal((await service.read('a/b.txt')).status, 404);

  const first = await piece(service, id, 0, 'hello ');
  t.same([first.status, first.headers.get('upload-offset'), await first.text()], [204, '6', '']);
  for (const method of ['HEAD', 'GET']) {
    const shown = await tus(service, method, id);
    t.match([shown.status, Object.fromEntries(shown.headers)], [
      200, { 'upload-offset': '6', 'upload-length': '11', 'cache-control': 'no-store', 'tus-resumable': '1.0.0', 'upload-metadata': said },
    ]);
    t.equal(await shown.text(), '');
  }
  t.same(left(service.folder), [id.slice(-36)]);
  const last = await piece(service, id, 6, 'world');
  t.same([last.status, last.headers.get('upload-offset')], [204, '11']);
  const file = await service.read('a/b.txt');
  t.same([file.headers.get('content-type'), await file.text()], ['text/plain', 'hello world']);
  t.same((await (await fetch(`${service.base}/metadata/a/b.txt`, { headers: { authorization: `Bearer ${await admin()}` } }))
    .json() as { data: { customMetadata: object } }).data.customMetadata.hasOwnProperty('other'), false);

  t.equal(await offsetOf(service, id), 11, 'it is told for a while');
  t.same(await refusal(await piece(service, id, 11, '')), [400, 'BAD_REQUEST']);
  t.same(left(service.folder), []);
  t.equal((await tus(service, 'DELETE', id)).status, 204);
  t.equal(await offsetOf(service, id), -1);
  t.equal((await service.read('a/b.txt')).status, 200, 'the file stays');

  async function admin() {
    const token = await tokenFor('root', ['admin']);
    await service.account(token);
    return token;
  }
});

test('where it goes', async t => {
  const service = await lendFiles(t);
  const put = async (values: Record<string, string>, query = '') => {
    const id = await begin(service, 1, values, { query });
    await piece(service, id, 0, 'x');
    return id.slice(-36);
  };
  await put({ filename: 'b c/ü.png', filetype: 'image/png' });
  const named = await service.read('b%20c/%C3%BC.png');
  t.same([named.status, named.headers.get('content-type')], [200, 'image/png']);
  const id = await put({});
  t.same([(await service.read(id)).status, (await service.read(id)).headers.get('content-type')], [200, 'application/octet-stream']);
  await put({ key: '/d//./e', bucket: 'other' }, '?storageId=(default)');
  t.same(readdirSync(join(service.folder, 'other/d')), ['e', 'e.metadata.json']);
});

test('one that is given up leaves nothing', async t => {
  const service = await lendFiles(t);
  const id = await begin(service, 10, { key: 'a' });
  await piece(service, id, 0, 'abc');
  t.equal(left(service.folder).length, 1);
  const gone = await tus(service, 'DELETE', id);
  t.same([gone.status, gone.headers.get('tus-resumable')], [204, '1.0.0']);
  t.same(left(service.folder), []);
  for (const method of ['GET', 'PATCH', 'DELETE']) t.same(await refusal(await tus(service, method, id)), [404, 'NOT_FOUND']);
  t.equal((await service.sql`select from service.storage_uploads`).length, 0);
});

type Refused = [name: string, options: TusOptions & { length?: string; values?: Record<string, string> }, refusal: [number, string]];
const CREATION: Refused[] = [
  ['without a length', {}, [400, 'BAD_REQUEST']],
  ...['', '0', '-1', '1.5', '1e3', '0x10', ' '].map((length): Refused => [`a length of '${length}'`, { length }, [400, 'BAD_REQUEST']]),
  ['too long, whatever else is wrong', { length: '5368709121', values: { key: '../a' } }, [413, 'PAYLOAD_TOO_LARGE']],
  ['far too long', { length: '99999999999999999999999' }, [413, 'PAYLOAD_TOO_LARGE']],
  ['no list', { length: '1', headers: { 'upload-metadata': 'key a' } }, [400, 'BAD_REQUEST']],
  ['a key, before its bucket', { length: '1', values: { key: '../a', bucket: '!' } }, [400, 'INVALID_STORAGE_KEY']],
  ['a key with NUL', { length: '1', values: { key: 'a\0' } }, [400, 'INVALID_STORAGE_KEY']],
  ['a filename that leads upwards', { length: '1', values: { filename: '..\\..\\a' } }, [400, 'INVALID_STORAGE_KEY']],
  ['a key of the service', { length: '1', values: { key: '_service/renditions/a' } }, [400, 'INVALID_STORAGE_KEY']],
  ['a key of a sidecar', { length: '1', values: { key: 'a.metadata.json' } }, [400, 'INVALID_STORAGE_KEY']],
  ['a folder', { length: '1', values: { key: 'a/' } }, [400, 'INVALID_STORAGE_KEY']],
  [
    'a bucket, before its source', { length: '1', values: { key: 'a', bucket: '!', storageId: 'nowhere' } },
    [400, 'INVALID_STORAGE_BUCKET'],
  ],
  ['a source', { length: '1', values: { key: 'a', storageId: 'nowhere' } }, [400, 'UNKNOWN_STORAGE_SOURCE']],
  ['a source in the query', { length: '1', values: { key: 'a' }, query: '?storageId=nowhere' }, [400, 'UNKNOWN_STORAGE_SOURCE']],
  ['a type that no header holds', { length: '1', values: { key: 'a', contentType: 'text/html\r\nX: y' } }, [400, 'BAD_REQUEST']],
  ['nobody, before anything else', { as: null }, [401, 'UNAUTHORIZED']],
  ['somebody else', { as: 'nonsense' }, [401, 'UNAUTHORIZED']],
];

test('refusals at the beginning, and their order', async t => {
  const service = await lendFiles(t);
  for (const [name, { length, values = {}, headers = {}, ...options }, wanted] of CREATION) {
    const answer = await tus(service, 'POST', '', {
      ...options, headers: {
        ...(length !== undefined && { 'upload-length': length }),
        ...(Object.keys(values).length > 0 && { 'upload-metadata': metadata(values) }), ...headers,
      },
    });
    t.equal(answer.headers.get('tus-resumable'), '1.0.0');
    t.match((await refusal(answer)).slice(0, 2), wanted, name);
  }
  t.equal((await service.sql`select from service.storage_uploads`).length, 0);
});

const PIECES: [name: string, headers: Record<string, string>, body: string, refusal: [number, string]][] = [
  ['no offset, whatever else is wrong', { 'content-type': 'text/plain' }, 'a', [400, 'BAD_REQUEST']],
  ['an offset that is none', { 'upload-offset': '-1', 'content-type': PIECE }, 'a', [400, 'BAD_REQUEST']],
  ['another offset, before its type', { 'upload-offset': '2', 'content-type': 'text/plain' }, 'a', [409, 'CONFLICT']],
  [
    'another type, before its length', { 'upload-offset': '3', 'content-type': 'text/plain' }, 'abcdefghijk',
    [415, 'UNSUPPORTED_MEDIA_TYPE'],
  ],
  ['no type', { 'upload-offset': '3', 'content-type': '' }, 'a', [415, 'UNSUPPORTED_MEDIA_TYPE']],
  ['too much', { 'upload-offset': '3', 'content-type': PIECE }, 'abcdefgh', [413, 'PAYLOAD_TOO_LARGE']],
];

test('refusals of a piece, and their order; the upload stays', async t => {
  const service = await lendFiles(t);
  const id = await begin(service, 10, { key: 'a' });
  await piece(service, id, 0, 'abc');
  for (const [name, headers, body, wanted] of PIECES) {
    const answer = await tus(service, 'PATCH', id, { headers, body });
    t.equal(answer.headers.get('tus-resumable'), '1.0.0');
    t.match((await refusal(answer)).slice(0, 2), wanted, name);
    t.equal(await offsetOf(service, id), 3);
  }
  t.same((await refusal(await piece(service, id, 7, 'x')))[2], { offset: 3 });
  const stream = new Blob(['d'.repeat(20)]).stream();
  const chunked = await fetch(new URL(new URL(id).pathname, service.address), { method: 'PATCH', body: stream, duplex: 'half', headers: {
    'authorization': `Bearer ${await admin(service)}`, 'upload-offset': '3', 'content-type': PIECE,
  } });
  t.match(await refusal(chunked), [413, 'PAYLOAD_TOO_LARGE'], 'also of what was not announced');
  t.equal(await offsetOf(service, id), 3);
  t.equal((await piece(service, id, 3, '')).status, 204, 'nothing is a piece');
  t.equal((await piece(service, id, 3, 'defghij')).status, 204);
  t.equal(await (await service.read('a')).text(), 'abcdefghij');
});

async function admin(service: { account: (token: string) => Promise<void> | undefined }): Promise<string> {
  const token = await tokenFor('root', ['admin']);
  await service.account(token);
  return token;
}

test('an upload belongs to its creator, and to fully trusted callers', async t => {
  const service = await lendFiles(t);
  const [ada, bob, root] = await Promise.all([tokenFor('ada'), tokenFor('bob'), tokenFor('root', ['admin'])]);
  const id = await begin(service, 10, { key: 'a' }, { as: ada });
  await piece(service, id, 0, 'abc', { as: ada });
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    t.same(await refusal(await tus(service, method, id, { as: bob })), [404, 'NOT_FOUND'], method);
    t.same(await refusal(await tus(service, method, id, { as: null })), [401, 'UNAUTHORIZED'], method);
    t.same(await refusal(await tus(service, method, 'no-id', { as: ada })), [404, 'NOT_FOUND'], method);
  }
  t.equal(await offsetOf(service, id, { as: ada }), 3);
  t.equal(await offsetOf(service, id, { as: root }), 3);
  t.equal((await piece(service, id, 3, 'd')).status, 204, 'the service key');
  t.equal((await tus(service, 'DELETE', id, { as: root })).status, 204);
});

test('anonymous callers continue an upload by its id, where the settings let them upload', async t => {
  const service = await serveFiles(t, { env: { AUTH_REQUIRE: 'false' } });
  const id = await begin(service, 4, { key: 'a' }, { as: null });
  t.equal((await piece(service, id, 0, 'ab', { as: null })).status, 204);
  t.equal((await piece(service, id, 2, 'cd', { as: await tokenFor('ada') })).status, 204);
  t.equal(await (await service.read('a')).text(), 'abcd');
  const adas = await begin(service, 4, { key: 'b' }, { as: await tokenFor('ada') });
  t.same(await refusal(await piece(service, adas, 0, 'ab', { as: null })), [404, 'NOT_FOUND']);
});

test('the settings bound it', async t => {
  const service = await serveFiles(t, { env: { STORAGE_MAX_FILE_SIZE: '10', STORAGE_ALLOWED_MIME_TYPES: 'text/*' } });
  t.equal((await tus(service, 'OPTIONS', '', { as: null })).headers.get('tus-max-size'), '10');
  const create = (length: number, contentType: string) =>
    tus(service, 'POST', '', { headers: { 'upload-length': String(length), 'upload-metadata': metadata({ key: 'a', contentType }) } });
  t.match(await refusal(await create(11, 'text/plain')), [413, 'PAYLOAD_TOO_LARGE']);
  t.match(await refusal(await create(10, 'image/png')), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  t.equal((await create(10, 'text/css')).status, 201);
});

test('an address cannot be forged', async t => {
  const service = await lendFiles(t);
  const at = async (headers: Record<string, string>) => begin(service, 1, { key: 'a' }, { headers });
  t.ok((await at({ 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'forwarded': 'host=evil.example' }))
    .startsWith(`${service.address}/api/`));
  const named = await serveFiles(t, { env: { SERVICE_PUBLIC_URL: 'https://files.example.com/base/', TRUSTED_PROXY_HOPS: '1' } });
  t.match(await begin(named, 1, { key: 'a' }, { headers: { 'x-forwarded-host': 'evil.example' } }),
    /^https:\/\/files\.example\.com\/base\/api\/storage\/tus\/[-\da-f]{36}$/);
});
