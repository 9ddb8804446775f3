import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { serveFunctions, serveProject } from './serve.ts';

const FILES = `
import { createHash } from 'node:crypto';
import { defineFunction } from 'rowgate/functions';
export default defineFunction((app, { rowgate: { storage } }) => {
  app.get('/ping', c => c.text('pong'));
  app.post('/copy', async c => c.json(await storage.upload(c.req.query('key'), c.req.raw.body, { contentType: 'application/pdf' })));
  app.post('/bytes', async c => c.json(await storage.upload('made.bin', new Uint8Array(Number(c.req.query('size'))).fill(7),
    { metadata: { made: 'by a function', 'of "two': 'lines\\r\\nof text' } })));
  app.get('/text', async c => c.json(await storage.upload('a folder/Grüße "1".txt', 'Grüße')));
  app.get('/file', c => storage.download(c.req.query('key'), {}, c.req.header('range') ? { Range: c.req.header('range') } : {}));
  app.get('/hash', async c => {
    const file = await storage.download('made.bin');
    return c.json([file.status, file.headers.get('content-type'), createHash('sha256').update(new Uint8Array(
      await file.arrayBuffer())).digest('hex')]);
  });
  app.get('/rest', async c => {
    await storage.createFolder('empty');
    const { data } = await storage.metadata('a folder/Grüße "1".txt');
    const listed = await storage.list({ prefix: '' });
    const gone = await storage.delete('a folder/Grüße "1".txt');
    const after = await storage.metadata('a folder/Grüße "1".txt').catch(error => [error.name, error.status, error.code]);
    const { token } = (await storage.metadata('made.bin')).data;
    return c.json({ data, listed, gone, after, sources: await storage.sources(), token });
  });
  app.get('/refused', async c => c.json(await storage.upload('../up', 'x')));
  app.get('/half', async c => {
    const codes = [];
    for (const ask of ['download', 'metadata', 'delete']) await storage[ask]('half \\ud800').catch(error => codes.push(error.code));
    return c.json(codes);
  });
  app.get('/unread', async c => { await storage.download('made.bin'); return c.text('left it'); });
  app.get('/some', async c => {
    const reader = (await storage.download('made.bin')).body.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return c.json(value.length);
  });
  app.get('/broken', async c => {
    const body = new ReadableStream({ start(to) { to.enqueue(new Uint8Array(10)); }, pull(to) { to.error(new Error('no more')); } });
    const said = await storage.upload('broken.bin', body).catch(error => error.message);
    return c.json([said, await storage.metadata('broken.bin').catch(error => error.code)]);
  });
  app.get('/large', async c => c.json(await storage.upload('large.bin', new Uint8Array(Number(c.req.query('size')))).catch(
    error => [error.status, error.code, error.details])));
});`;

async function serveFiles(t: Test, env: Record<string, string> = {}) {
  const path = mkdtempSync(join(tmpdir(), 'rowgate-files-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return serveFunctions(t, { 'files.ts': FILES }, { STORAGE_PATH: path, ...env });
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a function stores, reads, lists and deletes files as the routes do', async t => {
  const { request, address } = await serveFiles(t);
  t.match(await request('/functions/files/text'), { status: 200, body: { data: { key: 'a folder/Grüße "1".txt', bucket: /./ } } });
  t.match(await request('/functions/files/file?key=a%20folder/Gr%C3%BC%C3%9Fe%20%221%22.txt'), { status: 200, text: 'Grüße' });
  t.equal((await request('/functions/files/bytes?size=10', { method: 'POST' })).status, 200);
  const route = await request('/storage/metadata/made.bin');
  t.match(route.body.data, { size: 10, contentType: 'application/octet-stream', customMetadata: { made: 'by a function' } });
  const { body } = await request('/functions/files/rest');
  t.match(body, {
    data: { size: 7, contentType: /^text\/plain/, fullPath: 'a folder/Grüße "1".txt' },
    gone: { message: 'File deleted' }, after: ['ApiError', 404, 'NOT_FOUND'],
    sources: { data: [{ key: '(default)', engine: 'local' }] },
  });
  t.same(body.listed.data.prefixes.map((entry: { fullPath: string }) => entry.fullPath), ['a folder', 'empty']);
  const signed = await fetch(`${address}/api/storage/file/made.bin?token=${body.token}`);
  t.same([signed.status, (await signed.arrayBuffer()).byteLength], [200, 10], 'the token reads the file');
  t.match(await request('/functions/files/refused'), { status: 400, body: { error: { code: 'INVALID_STORAGE_KEY' } } });
  t.match(await request('/functions/files/file?key=nothing', { as: await tokenFor('ada') }),
    { status: 404, body: { error: { code: 'NOT_FOUND' } } });
  t.same((await request('/functions/files/half')).body, Array(3).fill('INVALID_STORAGE_KEY'), 'half a surrogate pair');
});

test('megabytes go both ways, beside other calls', async t => {
  const { address, request } = await serveFiles(t);
  const sent = randomBytes(9_000_000);
  const copy = fetch(`${address}/api/functions/files/copy?key=large.pdf`, { method: 'POST', body: sent });
  let [isCopied, pings] = [false, 0];
  const copied = copy.finally(() => { isCopied = true; });
  while (!isCopied) {
    t.equal((await request('/functions/files/ping')).text, 'pong');
    pings += 1;
  }
  t.equal((await copied).status, 200);
  t.ok(pings > 0);
  const readers = await Promise.all(Array.from({ length: 4 }, () => fetch(`${address}/api/functions/files/file?key=large.pdf`)));
  t.equal(readers[0]?.headers.get('content-type'), 'application/pdf');
  for (const reader of readers) t.equal(hashOf(new Uint8Array(await reader.arrayBuffer())), hashOf(sent));
  const part = await request('/functions/files/file?key=large.pdf', { headers: { range: 'bytes=5-9' } });
  t.same([part.status, part.headers.get('content-range')], [206, 'bytes 5-9/9000000']);
  t.equal((await request('/functions/files/bytes?size=5000000', { method: 'POST' })).status, 200);
  t.same((await request('/functions/files/hash')).body,
    [200, 'application/octet-stream', hashOf(new Uint8Array(5_000_000).fill(7))]);
});

test('bytes that are not read, not given, or too many harm nothing', async t => {
  const { request } = await serveFiles(t, { STORAGE_MAX_FILE_SIZE: '4000000' });
  await request('/functions/files/bytes?size=3000000', { method: 'POST' });
  t.equal((await request('/functions/files/unread')).text, 'left it');
  t.ok((await request('/functions/files/some')).body > 0);
  t.same((await request('/functions/files/broken')).body, ['no more', 'NOT_FOUND']);
  t.match((await request('/functions/files/large?size=5000000')).body, [413, 'PAYLOAD_TOO_LARGE']);
  t.equal((await request('/storage/metadata/large.bin')).status, 404);
  t.equal((await request('/functions/files/hash')).body[0], 200);
});

test('where there is no storage, and no default one, files are NOT_CONFIGURED', async t => {
  const none = { STORAGE_PATH: '', NODE_ENV: 'production', CORS_ORIGINS: 'https://x.example' };
  const { request } = await serveFunctions(t, { 'files.ts': FILES }, none);
  t.match(await request('/functions/files/text'), { status: 503, body: { error: { code: 'NOT_CONFIGURED', details: { setting: /./ } } } });
});

test('a job has files and accounts too', async t => {
  const path = mkdtempSync(join(tmpdir(), 'rowgate-files-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  const { request, sql } = await serveProject(t, { 'jobs/keep.ts': `export default async (job, { rowgate }) => {
    const { user } = await rowgate.auth.users.create({ email: 'job@example.org', password: 'Correct horse 7 battery' });
    await rowgate.storage.upload('kept/' + job.payload.name, 'x'.repeat(600_000));
    return [user.email, (await (await rowgate.storage.download('kept/' + job.payload.name)).text()).length];
  };` }, {}, { STORAGE_PATH: path });
  await sql`select service.enqueue('keep', '{"name": "one.txt"}')`;
  await until('the job is done', async () => await result() != null);
  t.same(await result(), ['job@example.org', 600_000]);
  t.match((await request('/storage/metadata/kept/one.txt')).body, { data: { size: 600_000 } });

  async function result(): Promise<unknown> {
    const [job] = await sql<{ result: unknown; status: string; error: string | null }[]>`
      select result, status, last_error as error from service.jobs where task = 'keep'`;
    return job?.status === 'succeeded' ? job.result : job?.error;
  }
});
