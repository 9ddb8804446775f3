import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'tap';
import { openBrowser } from '../harness/browser.ts';
import { ROOT } from '../harness/server.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';

const PAGE = readFileSync(join(ROOT, 'examples/live/index.html'));

test('the example page follows the table', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) {
    t.comment('There is no Chromium here, and it cannot be installed: not tried.');
    return;
  }
  const service = await createService(t);
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const page = await browser.page(900, 900);
  await page.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.until(`document.readyState === 'complete' && (() => { // before, a form is sent by the browser
    document.forms[0].address.value = ${JSON.stringify(service.address)};
    document.forms[0].token.value = ${JSON.stringify(SERVICE_KEY)};
    document.forms[0].requestSubmit();
    return true;
  })()`);
  const first =
    await page.until(`document.querySelectorAll('tbody tr').length === 20 && document.querySelector('tbody td').textContent`) as string;
  await service.sql`update products set price = 77.77, stock = 5 where name = ${first}`;
  t.equal(await page.until(`document.querySelector('tr.changed')?.cells[1].textContent`), '77.77');
  t.equal(await page.until(`document.querySelectorAll('tr.changed').length`), 1);
  t.match(await page.until(`document.querySelector('#state').textContent`), /^Live: 20 products/);
  t.same(page.faults, []);
  if (process.env['SCREENSHOTS'] !== undefined) await page.screenshot(join(process.env['SCREENSHOTS'], 'live.png'));
});
