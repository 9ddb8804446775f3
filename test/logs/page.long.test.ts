import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type Test } from 'tap';
import { openBrowser } from '../harness/browser.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, storeFiles } from '../harness/service.ts';

const PAGE = `<!doctype html><title>The log</title><ol></ol><script>
const answers = []; let isOver = false;
const follow = (url, key) => read(url, key).catch(({ name }) => answers.push(name));
const shown = () => [...document.querySelectorAll('li')].map(({ textContent }) => textContent.split(' ')[1]);
async function read(url, key) {
  const response = await fetch(url, { headers: { authorization: 'Bearer ' + key } });
  answers.push(response.ok ? response.status : [response.status, (await response.json()).error.code]);
  if (!response.ok) return;
  let text = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const events = (text + piece.value).split('\\n\\n');
    text = events.pop();
    events.forEach(show);
  }
  isOver = true;
}
function show(event) {
  const [, data = '{"entries":[]}'] = /\\ndata: ([^\\n]*)/.exec(event) ?? [];
  for (const { message } of JSON.parse(data).entries) {
    document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: message }));
  }
}
</script>`;

/** Serves the page. The two addresses are two origins. */
async function servePage(t: Pick<Test, 'teardown'>): Promise<{ allowed: string; stranger: string }> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { allowed: `http://127.0.0.1:${port}`, stranger: `http://localhost:${port}` };
}

test('a page of an allowed origin shows entries as they come until its key is revoked, and one of another origin none', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) {
    t.comment('There is no Chromium here, and it cannot be installed: not tried.');
    return;
  }
  const { allowed, stranger } = await servePage(t);
  const { url } = await createDatabase(t, { template: 'served_store' });
  const { address, request, close } = await openService(url, {
    ...storeFiles, NODE_ENV: 'production', DATABASE_URL: url, SERVICE_HOST: '127.0.0.1', CORS_ORIGINS: allowed,
    MFA_ENCRYPTION_KEY: 'a key for tests that is long enough 0123456789',
  });
  t.teardown(close);
  const made = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes: ['logs:read'] }) });
  const { key } = made.body;
  const follow = `follow(${JSON.stringify(`${address}/api/admin/logs/stream?search=products`)}, ${JSON.stringify(key.key)})`;
  const open = async (origin: string) => {
    const page = await browser.page(800, 600);
    await page.open(origin);
    await page.until(`document.readyState === 'complete' && typeof follow === 'function' && (${follow}, true)`);
    return page;
  };

  await request('/data/products/1');
  const page = await open(allowed);
  await page.until('shown().length === 1');
  for (let n = 2; n <= 4; n++) {
    await request(`/data/products/${n}`);
    await page.until(`shown().length === ${n}`);
  }
  t.same(await page.until('shown()'), [1, 2, 3, 4].map(n => `/api/data/products/${n}`));

  const other = await open(stranger);
  t.same(await other.until('answers.length > 0 && answers'), ['TypeError']);
  t.match(other.faults, [/has been blocked by CORS policy/]);
  t.same(await other.until('[shown()]'), [[]]);

  t.same(await page.until('[answers, isOver]'), [[200], false]);
  t.equal((await request(`/admin/api-keys/${key.id}`, { method: 'DELETE' })).status, 200);
  await page.until('isOver');
  await page.until(`(${follow}, true)`);
  t.same(await page.until('answers.length > 1 && answers'), [200, [401, 'UNAUTHORIZED']], 'a refusal can be read, too');
  t.same(page.faults, []);
});
