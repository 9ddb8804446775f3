// Resumable uploads of pages, in Chromium and Firefox: in one of them at random, and in both by npm run proof.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { some } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { serveFiles } from '../storage/files.ts';
import { openProxy, type Proxy } from './realtime/proxy.ts';
import { begin, BROWSERS, result, servePage, tab } from './session/page.ts';

const SIZE = 4_000_000;
const HALF = SIZE / 2;
/** The period is a prime number, so that bytes at a wrong place are other ones. */
const content = (seed = 0) => Buffer.from(Uint8Array.from({ length: SIZE }, (_, n) => (n + seed) % 251));

const script = (url: string) => `
  const options = { url: ${JSON.stringify(url)}, schema: { version: '', collections: {} }, warn() {} };
  window.db = client.createClient({ ...options, token: ${JSON.stringify(SERVICE_KEY)} });
  window.stranger = client.createClient({ ...options, token: 'wrong' });
  window.bytes = (seed = 0, size = ${SIZE}) => Uint8Array.from({ length: size }, (_, n) => (n + seed) % 251);
  window.film = new File([bytes()], 'film.bin', { lastModified: 1 });
  window.blob = seed => new Blob([bytes(seed)]);
  window.stop = new AbortController();
  window.refusal = (...upload) => client.resumableUpload(...upload).then(() => 'answered', error =>
    error instanceof client.RowgateError ? [error.code, error.status] : error.name);`;

/** The requests of uploads, each with its offset: \`POST\`, \`PATCH 0\`, \`HEAD\`. */
function requests({ heads }: Proxy): string[] {
  const found = heads.flatMap(head => {
    const [, method = ''] = /^(POST|PATCH|HEAD) \/api\/storage\/tus/.exec(head) ?? [];
    const [, offset = ''] = /^upload-offset: (\d+)/im.exec(head) ?? [];
    return method ? [`${method} ${offset}`.trim()] : [];
  });
  heads.length = 0;
  return found;
}

/** Begun once, and gone on with from about the half of it. */
const RESUMED = ['POST', 'PATCH 0', 'HEAD', /^PATCH [12]\d{6}$/];

for (const [name, open] of some(BROWSERS)) {
  test(`a resumable upload goes on where it was cut, and after a reload of the page: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, folder, read } = await serveFiles(t);
    const stored = async (key: string) => Buffer.from(await (await read(key)).arrayBuffer());
    const proxy = await openProxy(t, () => address);
    const origin = await servePage(t);
    const page = await tab(browser, origin, script(proxy.url));
    const sizes = () => readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map(name => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
    const interrupted = async (upload: string) => {
      const stalled = proxy.stallAfter(HALF);
      await result(page, `(window.uploading = ${upload}, true)`);
      await stalled;
      await until('about the half of it is on the disk', () => sizes().some(size => size > HALF / 2 && size < SIZE));
    };
    const cut = () => {
      proxy.drop();
      proxy.stall(false);
    };

    await interrupted(`refusal(db, 'cut', film)`);
    proxy.refuse(true);
    cut();
    const { count } = proxy;
    await until('it tries in vain', () => proxy.count > count);
    proxy.refuse(false);
    t.equal(await result(page, 'uploading'), 'answered');
    t.match(requests(proxy), RESUMED);
    t.ok((await stored('cut')).equals(content()));

    await interrupted(`refusal(db, 'reload', film)`);
    await page.open(origin);
    await begin(page, script(proxy.url));
    cut();
    t.equal(await result(page, `refusal(db, 'reload', film)`), 'answered');
    t.match(requests(proxy), RESUMED);
    t.ok((await stored('reload')).equals(content()));

    await interrupted(`refusal(db, 'blob', blob(1), { signal: stop.signal })`);
    await result(page, '(stop.abort(), true)');
    cut();
    t.equal(await result(page, 'uploading'), 'AbortError');
    t.equal(await result(page, `refusal(db, 'blob', blob(2))`), 'answered');
    t.ok((await stored('blob')).equals(content(2)), 'a Blob has no name by which another one could be told from it');
    t.same(await result(page, `Object.keys(localStorage)`), [], 'nothing is kept of finished ones');
  });

  test(`a refusal of a resumable upload is a RowgateError: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, read } = await serveFiles(t, { env: { STORAGE_MAX_FILE_SIZE: String(SIZE - 1) } });
    const proxy = await openProxy(t, () => address);
    const page = await tab(browser, await servePage(t), script(proxy.url));
    t.same(await result(page, `refusal(db, 'a/../b', new Blob(['small']))`), ['INVALID_STORAGE_KEY', 400]);
    t.same(await result(page, `refusal(db, 'big', film)`), ['PAYLOAD_TOO_LARGE', 413]);
    t.same(await result(page, `refusal(stranger, 'strange', film)`), ['UNAUTHORIZED', 401]);
    t.same(requests(proxy), ['POST', 'POST', 'POST'], 'none is tried again');
    proxy.refuse(true);
    proxy.drop();
    t.same(await result(page, `refusal(db, 'lost', film, { tus: { retryDelays: [] } })`), ['NETWORK', 0]);
    t.same(await Promise.all(['big', 'strange', 'lost'].map(async key => (await read(key)).status)), [404, 404, 404]);
    t.same(await result(page, `Object.keys(localStorage)`), []);
  });
}
