import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'tap';
import { openBrowser } from '../harness/browser.ts';
import { ROOT } from '../harness/server.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { serveFiles } from './files.ts';

const PAGE = readFileSync(join(ROOT, 'examples/upload/index.html'));
const SIZE = 96 * 1024 * 1024;

test('the example page uploads, pauses, and goes on after it was loaded again', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) {
    t.comment('There is no Chromium here, and it cannot be installed: not tried.');
    return;
  }
  const service = await serveFiles(t);
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const page = await browser.page(900, 500);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = (pauses: boolean) => page.until(`document.querySelector('form') && (() => {
    const [form, state] = [document.forms[0], document.querySelector('#state')];
    const files = new DataTransfer();
    files.items.add(new File([new Uint8Array(${SIZE}).fill(7)], 'ü.bin', { lastModified: 1, type: 'video/mp4' }));
    form.file.files = files.files;
    form.address.value = ${JSON.stringify(`${service.address}/api`)};
    form.token.value = ${JSON.stringify(SERVICE_KEY)};
    window.said = [];
    new MutationObserver(() => {
      said.push(state.textContent);
      if (${pauses} && /^\\d+ of/.test(state.textContent)) form.pause.click();
    }).observe(state, { childList: true });
    form.requestSubmit();
    return true;
  })()`);

  await page.open(address);
  await start(true);
  t.match(await page.until(
    `/^Paused|is there/.test(document.querySelector('#state').textContent) && document.querySelector('#state').textContent`,
  ),
    /^Paused/);
  await page.open(`${address}/again`);
  await start(false);
  t.equal(await page.until(`/is there/.test(document.querySelector('#state').textContent) && document.querySelector('#state').textContent`),
    `ü.bin is there: ${SIZE} bytes.`);
  const [, offset] = /^Going on at (\d+) of/.exec(String(await page.until('said[0]'))) ?? [];
  t.ok(Number(offset) > 0 && Number(offset) < SIZE, `it went on at ${offset}`);
  t.equal(statSync(join(service.folder, 'default/ü.bin')).size, SIZE);
  t.same(page.faults, []);
  if (process.env['SCREENSHOTS'] !== undefined) await page.screenshot(join(process.env['SCREENSHOTS'], 'upload.png'));
});
