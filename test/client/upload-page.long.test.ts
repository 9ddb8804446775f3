// Uploads of pages, in Chromium and Firefox: in one of them at random, and in both by npm run proof.
import { test } from 'tap';
import { some } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { lendFiles } from '../storage/files.ts';
import { openProxy } from './realtime/proxy.ts';
import { BROWSERS, result, servePage, tab } from './session/page.ts';

/** More than lies in the buffers between a page and a proxy that does not read. */
const SIZE = 8_000_000;
const PART = 1_000_000;

for (const [name, open] of some(BROWSERS)) {
  test(`a browser is told of the progress of an upload, aborts it, and reads refusals: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, read } = await lendFiles(t);
    const proxy = await openProxy(t, () => address);
    const options = JSON.stringify({ url: proxy.url, token: SERVICE_KEY, schema: { version: '', collections: {} } });
    const page = await tab(browser, await servePage(t), `
      window.db = client.createClient({ ...${options}, warn() {} });
      window.told = [];
      window.stop = new AbortController();
      window.upload = (key, more) => client.uploadFile(db, key, new Blob([new Uint8Array(${SIZE})], { type: 'text/plain' }), {
        onProgress: (sent, total) => { told.push([sent, total]); }, ...more,
      });`);
    proxy.readOnly(PART);
    await result(page, `(window.uploading = upload('zeros.txt'), true)`);
    await page.until('told.length > 0');
    t.equal(await result(page, `told.every(([sent, total]) => sent < total)`), true, 'it is told before the whole is sent');
    proxy.readOnly(Infinity);
    t.match(await result(page, 'uploading'), { key: 'zeros.txt', bucket: 'default' });
    const told = await result<[number, number][]>(page, 'told');
    t.ok(told.length > 1, `${told.length} times`);
    t.same(told.at(-1), [SIZE, SIZE]);
    t.same(told.map(([sent]) => sent), told.map(([sent]) => sent).toSorted((a, b) => a - b));
    t.equal((await read('zeros.txt')).headers.get('content-length'), String(SIZE));

    t.match(await result(page, `upload('../up')`), { failed: 'INVALID_STORAGE_KEY' });
    const failure = (options: string) => result(page, `upload('aborted.txt', ${options}).then(() => 'stored', error => error.name)`);
    proxy.readOnly(PART);
    t.equal(await failure('{ signal: stop.signal, onProgress: () => stop.abort() }'), 'AbortError');
    proxy.readOnly(Infinity);
    t.equal(await failure('{ signal: AbortSignal.abort(), onProgress() {} }'), 'AbortError');
    t.equal((await read('aborted.txt')).status, 404);
  });
}
