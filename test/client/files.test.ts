import { randomBytes } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type Test } from 'tap';
import {
  createClient, createFolder, fetchFile, fileMetadata, fileUrl, listFiles, removeFile, RowgateError, uploadFile, type Client,
} from '../../client/src/index.ts';
import { resumableUpload } from '../../client/src/uploads.ts';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { lendFiles, serveFiles } from '../storage/files.ts';
import { image } from '../storage/images.ts';
import { refusal } from './service.ts';
import { schema, type Schema } from './store.types.ts';

const clientOf = (url: string, more: Partial<Parameters<typeof createClient<Schema>>[0]> = {}): Client<Schema> =>
  createClient<Schema>({ url, schema, token: SERVICE_KEY, warn: () => undefined, ...more });

/** Passes bytes on, and resets each connection that has carried so many to the service, the first `breaks` times. */
async function breakingProxy(t: Pick<Test, 'teardown'>, address: string, after: number, breaks: number) {
  const sockets = new Set<Socket>();
  const seen = { url: '', broken: 0 };
  const server = createServer(client => {
    const service = connect(Number(new URL(address).port), '127.0.0.1');
    let carried = 0;
    for (const socket of [client, service]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (bytes: Buffer) => {
      carried += bytes.length;
      if (carried < after || seen.broken >= breaks) return service.write(bytes);
      seen.broken++;
      client.resetAndDestroy();
      return service.destroy();
    }).on('close', () => service.end());
    service.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { for (const socket of sockets) socket.destroy(); server.close(); });
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return seen;
}

test('files are stored, described, listed, read and removed, whatever their keys hold', async t => {
  const { address } = await lendFiles(t);
  const db = clientOf(address);
  const told: [number, number][] = [];
  const stored = await uploadFile(db, 'products/42/läm p?#%2F&.txt', new Blob(['A lamp.'], { type: 'text/plain' }), {
    metadata: { alt: 'Ä lamp' }, onProgress: (sent, total) => { told.push([sent, total]); },
  });
  const key = 'products/42/läm p?#%2F&.txt';
  t.same(stored, { key, bucket: 'default', storageUrl: `local://default/${key}` });
  t.same(told, [[7, 7]], 'once, at the end: here is no XMLHttpRequest');
  const about = await fileMetadata(db, key);
  t.match(about, { fullPath: key, size: 7, contentType: 'text/plain', customMetadata: { alt: 'Ä lamp' }, token: /./, tokenExpiresIn: 300 });
  t.equal(await (await fetchFile(db, key)).text(), 'A lamp.');
  t.equal(await (await fetch(fileUrl(db, key, { token: about.token ?? '' }))).text(), 'A lamp.');
  t.equal((await fetch(fileUrl(db, key))).status, 401);
  await uploadFile(db, 'default/own.txt', new Blob(['own']));
  t.equal(await (await fetchFile(db, 'default/own.txt')).text(), 'own', 'a folder of the name of the bucket');
  await createFolder(db, 'empty');
  t.match(await listFiles(db, { prefix: 'products' }), { items: [], prefixes: [{ fullPath: 'products/42' }] });
  const first = await listFiles(db, { maxResults: 1 });
  t.match(await listFiles(db, { pageToken: first.nextPageToken ?? '' }), { prefixes: [{ fullPath: 'empty' }, { fullPath: 'products' }] });
  await removeFile(db, key);
  await removeFile(db, key);
  t.same(await refusal(fetchFile(db, key)), ['NOT_FOUND', 404]);
  t.same(await refusal(fileMetadata(db, key)), ['NOT_FOUND', 404]);
  const errors = t.capture(console, 'error', () => undefined);
  const failing = { onProgress: () => { throw new Error('of the page'); } };
  t.equal((await uploadFile(db, 'stored.txt', new Blob(['x']), failing)).key, 'stored.txt', 'a callback that throws loses no answer');
  t.equal(errors().length, 1);
  t.same(await refusal(uploadFile(db, '../x', new Blob(['x']))), ['INVALID_STORAGE_KEY', 400]);
  const changed: [key: string, metadata?: Record<string, string>][] =
    [[''], ['a/./b'], ['a\nb'], ['\ud800'], ['a', { alt: 'a\nb' }], ['a', { alt: '\ud800' }]];
  for (const [wrong, metadata = {}] of changed) {
    t.same(await refusal(uploadFile(db, wrong, new Blob(['x']), { metadata })), ['INVALID_INPUT', 0], 'a form would change it');
  }
  t.same(await refusal(removeFile(db, 'a/../../data/tags/1')), ['INVALID_INPUT', 0], 'a key stays below the files');
  t.throws(() => fileUrl(db, '..'), { code: 'INVALID_INPUT' });
});

test('public files need no token, and pictures come in the size that is asked for', async t => {
  const { address } = await lendFiles(t);
  const db = clientOf(address);
  await uploadFile(db, 'public/red.png', new Blob([await image('png')], { type: 'image/png' }));
  t.notOk((await fileMetadata(db, 'public/red.png')).token);
  const url = fileUrl(db, 'public/red.png', { width: 4, format: 'jpeg', fit: 'inside', quality: 60 });
  t.equal(url, `${address}/api/storage/file/public/red.png?width=4&format=jpeg&fit=inside&quality=60`);
  const answer = await fetch(url);
  t.same([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg']);
  t.equal(fileUrl(db, 'public/red.png'), `${address}/api/storage/file/public/red.png`);
  t.same(await refusal(fetchFile(db, 'public/red.png', { width: 5000 })), ['INVALID_TRANSFORM_OPTIONS', 400]);
});

test('an upload that breaks off is sent again, and one that is aborted or refused is not', async t => {
  const { address, read } = await lendFiles(t);
  const through = await breakingProxy(t, address, 200_000, 2);
  const bytes = randomBytes(1_000_000);
  await uploadFile(clientOf(through.url), 'a.bin', new Blob([bytes]));
  t.equal(through.broken, 2);
  t.ok(Buffer.from(await (await read('a.bin')).arrayBuffer()).equals(bytes));
  t.same(await refusal(uploadFile(clientOf(address), 'b.bin', new Blob([bytes]), { signal: AbortSignal.abort() })), 'AbortError');
  t.same(await refusal(uploadFile(clientOf(address, { token: 'wrong' }), 'b.bin', new Blob(['b']))), ['UNAUTHORIZED', 401]);
  t.equal((await read('b.bin')).status, 404);
});

test('an answer that an XMLHttpRequest brings is read, or the upload is rejected, whatever it holds', async t => {
  const answers: [status: number, headers: string, text: string][] = [
    [200, 'content-type: application/json\r\nx-a:b:c\r\nx-note: ', '{"data":{"key":"a"}}'], [204, '', ''], [0, '', ''],
    [503, 'retry-after: 7\r\nx-note:\r\n', '{"error":{"code":"SERVICE_UNAVAILABLE","message":"Later."}}'], [200, 'x y: 1', '{}'],
  ];
  /** The platform's own is in no Node; pages run it in upload-page.long.test.ts. */
  class Answering {
    upload = {};
    status = 0;
    responseText = '';
    headers = '';
    onload?: () => void;
    onloadend?: () => void;
    open(): void { [this.status, this.headers, this.responseText] = answers.shift() ?? [0, '', '']; }
    setRequestHeader(): void { /* none is needed */ }
    getAllResponseHeaders(): string { return this.headers; }
    send(): void { setImmediate(() => { this.onload?.(); this.onloadend?.(); }); }
  }
  t.intercept(globalThis, 'XMLHttpRequest' as never, { value: Answering });
  const db = clientOf('http://127.0.0.1:1', { retries: 0 });
  const upload = () => uploadFile(db, 'a', new Blob(['a']), { onProgress: () => undefined });
  t.same(await upload(), { key: 'a' });
  t.same(await refusal(upload()), ['NETWORK', 204]);
  t.same(await refusal(upload()), ['NETWORK', 0], 'a status that no answer has');
  await t.rejects(upload(), { code: 'SERVICE_UNAVAILABLE', retryAfter: 7 });
  t.same(await refusal(upload()), ['NETWORK', 0], 'a name that no header has');
});

test('a resumable upload goes on after broken connections, and after another process has begun it', async t => {
  const { address, read } = await lendFiles(t);
  const bytes = randomBytes(3_000_000);
  const through = await breakingProxy(t, address, 1_200_000, 2);
  const told: number[] = [];
  await resumableUpload(clientOf(through.url), 'movies/a.mp4', bytes, {
    contentType: 'video/mp4', onProgress: sent => { told.push(sent); }, tus: { retryDelays: [0, 10, 50] },
  });
  t.equal(through.broken, 2);
  t.equal(told.at(-1), bytes.length);
  const answer = await read('movies/a.mp4');
  t.equal(answer.headers.get('content-type'), 'video/mp4');
  t.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));

  const urlStorage = kept();
  const db = clientOf(address);
  const stop = new AbortController();
  const tus = { urlStorage, chunkSize: 500_000, fingerprint: () => Promise.resolve('this file') };
  t.same(await refusal(resumableUpload(db, 'movies/b.mp4', bytes, {
    tus, signal: stop.signal, onProgress: sent => { if (sent > 1_100_000) stop.abort(); },
  })), 'AbortError');
  const again: number[] = [];
  let asked = 0;
  const fresh = clientOf(address, { token: () => { asked++; return SERVICE_KEY; } });
  await resumableUpload(fresh, 'movies/b.mp4', bytes, { tus, onProgress: sent => { again.push(sent); } });
  t.ok(asked > 2, 'each part has a token of its own');
  t.ok((again[0] ?? 0) >= 1_000_000, `it begins at ${again[0]}`);
  t.ok(Buffer.from(await (await read('movies/b.mp4')).arrayBuffer()).equals(bytes));
  t.same(await urlStorage.findAllUploads(), [], 'nothing is kept of a finished one');

  const early = new AbortController();
  const urls = { ...urlStorage, async findUploadsByFingerprint() { early.abort(); return Promise.resolve([]); } };
  const aborted = resumableUpload(db, 'movies/early.mp4', bytes, { tus: { ...tus, urlStorage: urls }, signal: early.signal });
  t.same(await refusal(aborted), 'AbortError', 'before it has begun');
  t.same(getEventListeners(early.signal, 'abort'), []);

  const other = new AbortController();
  const onProgress = (sent: number): void => { if (sent > 600_000) other.abort(); };
  t.same(await refusal(resumableUpload(db, 'movies/c.mp4', bytes, { tus, signal: other.signal, onProgress })), 'AbortError');
  await resumableUpload(db, 'movies/d.mp4', bytes, { tus });
  t.equal((await read('movies/c.mp4')).status, 404, 'the same file for another key is another upload');
  t.equal((await read('movies/d.mp4')).status, 200);
  t.equal((await read('movies/early.mp4')).status, 404);

  const draft = new AbortController();
  t.same(await refusal(resumableUpload(db, 'movies/e.mp4', bytes, {
    tus, bucket: 'drafts', signal: draft.signal, onProgress: sent => { if (sent > 600_000) draft.abort(); },
  })), 'AbortError');
  await resumableUpload(db, 'movies/e.mp4', bytes, { tus });
  t.same((await listFiles(db, { prefix: 'movies', bucket: 'drafts' })).items, [], 'one for another bucket is another upload too');
  t.equal((await read('movies/e.mp4')).status, 200);
});

test('a refusal of a resumable upload has its code, and a token that ended is renewed', async t => {
  const { address, account, read } = await serveFiles(t, { env: { STORAGE_MAX_FILE_SIZE: '1000' } });
  const bytes = Buffer.from('hello');
  for (const key of ['', '\ud800']) t.same(await refusal(resumableUpload(clientOf(address), key, bytes)), ['INVALID_INPUT', 0]);
  t.same(await refusal(resumableUpload(clientOf(address), 'a/../b', bytes)), ['INVALID_STORAGE_KEY', 400]);
  t.same(await refusal(resumableUpload(clientOf(address), 'big', Buffer.alloc(1001))), ['PAYLOAD_TOO_LARGE', 413]);
  t.same(await refusal(resumableUpload(clientOf(address, { token: 'wrong' }), 'a', bytes)), ['UNAUTHORIZED', 401]);
  t.same(await refusal(resumableUpload(clientOf('http://127.0.0.1:1'), 'a', bytes, { tus: { retryDelays: [] } })), ['NETWORK', 0]);
  const good = await tokenFor('ada', ['admin']);
  await account(good);
  let token = 'ended';
  const asked: unknown[] = [];
  const auth = {
    token: () => Promise.resolve(token),
    refused: (refused: string) => { asked.push(refused); token = good; return Promise.resolve(true); },
  };
  const db = createClient<Schema>({ url: address, schema, auth: auth as never, warn: () => undefined });
  await resumableUpload(db, 'renewed', bytes);
  t.same(asked, ['ended']);
  t.equal(await (await read('renewed')).text(), 'hello');

  const over = new RowgateError({ status: 401, code: 'SESSION_REVOKED', message: 'It is over.' });
  let count = 0;
  const ended = createClient<Schema>({ url: address, schema, token: () => { count++; throw over; }, warn: () => undefined });
  t.same(await refusal(resumableUpload(ended, 'over', bytes)), ['SESSION_REVOKED', 401]);
  token = 'ended';
  const found = { token: auth.token, refused: () => { count++; return Promise.reject(over); } };
  const finding = createClient<Schema>({ url: address, schema, auth: found as never, warn: () => undefined });
  t.same(await refusal(resumableUpload(finding, 'over', bytes)), ['SESSION_REVOKED', 401]);
  t.equal(count, 2, 'asked once each');

  const changed = new RowgateError({ status: 401, code: 'SESSION_ENDED', message: 'Another one is signed in.' });
  const before: unknown[] = [];
  const turning = {
    token: (given: unknown) => { before.push(given); return given ? Promise.reject(changed) : Promise.resolve(good); },
    refused: () => Promise.resolve(false),
  };
  const turned = createClient<Schema>({ url: address, schema, auth: turning as never, warn: () => undefined });
  t.same(await refusal(resumableUpload(turned, 'turned', bytes)), ['SESSION_ENDED', 401], 'no other person goes on with it');
  t.same(before, [undefined, good]);
});

/** Where a browser keeps the addresses of unfinished uploads. */
function kept() {
  const uploads = new Map<string, any>();
  return {
    findAllUploads: () => Promise.resolve([...uploads.values()]),
    findUploadsByFingerprint: (fingerprint: string) =>
      Promise.resolve([...uploads.values()].filter(upload => upload.fingerprint === fingerprint)),
    removeUpload: (key: string) => { uploads.delete(key); return Promise.resolve(); },
    addUpload: (fingerprint: string, upload: object) => {
      const urlStorageKey = String(uploads.size + Math.random());
      uploads.set(urlStorageKey, { ...upload, fingerprint, urlStorageKey });
      return Promise.resolve(urlStorageKey);
    },
  };
}
