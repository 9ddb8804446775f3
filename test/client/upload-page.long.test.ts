import { test } from 'tap';
import { SERVICE_KEY } from '../harness/service.ts';
import { lendFiles } from '../storage/files.ts';
import { browserOf, result, servePage, tab } from './session/page.ts';

const SIZE = 8_000_000;

test('a browser is told of the progress of an upload, aborts it, and reads refusals', async t => {
  const browser = await browserOf(t);
  if (browser === undefined) return;
  const { address, read } = await lendFiles(t);
  const options = JSON.stringify({ url: address, token: SERVICE_KEY, schema: { version: '', collections: {} } });
  const page = await tab(browser, await servePage(t), `
    window.db = client.createClient({ ...${options}, warn() {} });
    window.told = [];
    window.stop = new AbortController();
    window.upload = (key, more) => client.uploadFile(db, key, new Blob([new Uint8Array(${SIZE})], { type: 'text/plain' }), {
      onProgress: (sent, total) => { told.push([sent, total]); }, ...more,
    });`);
  await page.tell('Network.enable');
  await page.tell('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: SIZE });
  t.match(await result(page, `upload('zeros.txt')`), { key: 'zeros.txt', bucket: 'default' });
  const told = await result<[number, number][]>(page, 'told');
  t.ok(told.length > 1, `${told.length} times`);
  t.same(told.at(-1), [SIZE, SIZE]);
  t.same(told.map(([sent]) => sent), told.map(([sent]) => sent).toSorted((a, b) => a - b));
  t.equal((await read('zeros.txt')).headers.get('content-length'), String(SIZE));

  t.match(await result(page, `upload('../up')`), { failed: 'INVALID_STORAGE_KEY' });
  const aborted = `upload('aborted.txt', { signal: stop.signal, onProgress: () => stop.abort() }).catch(error => ({ failed: error.name }))`;
  t.match(await result(page, aborted), { failed: 'AbortError' });
  const ended = `upload('aborted.txt', { signal: AbortSignal.abort(), onProgress() {} }).catch(error => ({ failed: error.name }))`;
  t.match(await result(page, ended), { failed: 'AbortError' });
  t.equal((await read('aborted.txt')).status, 404);
});
