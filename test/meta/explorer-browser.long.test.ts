import { join } from 'node:path';
import { test } from 'tap';
import { openBrowser, type Page } from '../harness/browser.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, SERVICE_KEY, storeFiles } from '../harness/service.ts';

const SAID = `document.querySelector('output').textContent`;
const LIST = '#operations-Products-listProduct';

/** Opens the page; resolves when its scripts run. */
async function open(page: Page, address: string): Promise<void> {
  await page.open(`${address}/api/swagger`);
  await page.until(`location.href.startsWith(${JSON.stringify(address)}) && document.readyState === 'complete'`);
}

/** Once it is there. */
async function click(page: Page, selector: string): Promise<void> {
  await page.until(`(found => found && (found.click(), true))(document.querySelector(${JSON.stringify(selector)}))`);
}

async function type(page: Page, selector: string, text: string): Promise<void> {
  await page.until(
    `(found => found && (found.focus(), document.activeElement === found))(document.querySelector(${JSON.stringify(selector)}))`,
  );
  await page.type(text);
}

async function sendToken(page: Page): Promise<void> {
  await type(page, 'header input', SERVICE_KEY);
  await click(page, 'header button');
}

/** Asks for products; the status of the answer. */
async function list(page: Page): Promise<string> {
  await click(page, '[data-tag="Products"]');
  await click(page, `${LIST} .opblock-summary-control`);
  // The button is there before what it needs is, and a click that comes before leaves it dead: parameters are shown when it can go.
  await page.until(`document.querySelector('${LIST} .parameter__name') !== null`);
  await click(page, `${LIST} .execute`);
  return await page.until(`document.querySelector('${LIST} .live-responses-table tbody .response-col_status')?.textContent`) as string;
}

test('in a browser the explorer shows the document and sends the typed token, at any width; nothing leaves the machine',
  async t => {
    const browser = await openBrowser(t);
    if (!browser) return t.comment('There is no browser here.');
    const { address } = await createService(t);
    const folder = t.testdir();
    for (const [width, height] of [[1280, 900], [390, 844]] as const) {
      const page = await browser.page(width, height);
      await open(page, address);
      await page.until(`document.querySelectorAll('.opblock-tag').length >= 9`);
      await page.screenshot(join(folder, `${width}.png`));
      t.ok(await page.until(`document.documentElement.scrollWidth`) <= width, `at ${width} pixels nothing is cut off`);
      await sendToken(page);
      await page.until(`${SAID} === 'The token goes along with every request.'`);
      t.match(await list(page), /^200/);
      t.ok(await page.until(`document.documentElement.scrollWidth`) <= width, 'nor of an answer');
      const [request] = page.sent.filter(({ url }) => url.includes('/api/data/'));
      t.match(request, { url: `${address}/api/data/products`, headers: { Authorization: `Bearer ${SERVICE_KEY}` } });
      t.same(page.sent.map(({ url }) => url).filter(url => !url.startsWith(`${address}/`) && !url.startsWith('data:')), []);
      t.same(page.faults, []);
    }
  });

test('in production, where the document is for admins, the page asks for a token first', async t => {
  const browser = await openBrowser(t);
  if (!browser) return t.comment('There is no browser here.');
  const { url } = await createDatabase(t, { template: 'served_store' });
  const { address, close } = await openService(url,
    { ...storeFiles, NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com', SERVICE_ENABLE_SWAGGER: 'true' });
  t.teardown(close);
  const page = await browser.page(390, 844);
  await open(page, address);
  t.match(await page.until(SAID), /^The API document was refused \(401\): /);
  await sendToken(page);
  t.match(await list(page), /^200/);
  t.match(page.sent.at(-1)?.headers, { Authorization: `Bearer ${SERVICE_KEY}` });
  t.same(page.faults, []);
});
