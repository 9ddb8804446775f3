// The client in workers of pages, in Chromium and Firefox: in one of them at random, and in both by npm run proof.
import { test } from 'tap';
import { lendAccounts, OPEN } from '../accounts/people.ts';
import type { AnyPage } from '../harness/browser.ts';
import { some } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { add } from './realtime/following.ts';
import { ADA } from './session/people.ts';
import { BROWSERS, result, servePage, tab } from './session/page.ts';

/** One script for all kinds: it answers each message with the value of an expression, and a fetch of \`/names\` with those of tags. */
const WORKER = `
  import * as client from '/client/index.ts';
  import { realtime } from '/client/realtime/realtime.ts';
  self.client = { ...client, realtime };
  const answer = ({ data, ports: [port] }) => {
    (async () => (0, eval)(data))().catch(error => ({ failed: error.code ?? String(error) })).then(value => port.postMessage(value));
  };
  self.onmessage = answer;
  self.onconnect = ({ ports: [port] }) => { port.onmessage = answer; };
  self.onactivate = event => event.waitUntil(clients.claim());
  self.onfetch = event => {
    const { pathname, searchParams } = new URL(event.request.url);
    if (pathname !== '/names') return;
    const [url, token] = [searchParams.get('url'), searchParams.get('token')];
    const db = client.createClient({ url, token, schema: { version: '', collections: {} }, warn() {} });
    const query = { fields: ['name'], orderBy: [{ field: 'name' }] };
    event.respondWith(db.from('tags').list(query).then(({ data }) => Response.json(data.map(({ name }) => name))));
  };`;

const MODULES = {
  '/worker.js': WORKER,
  '/no-socket.js': 'delete self.WebSocket;',
  '/bare.js': `import '/no-socket.js'; import '/worker.js';`,
};

const SERVICE_WORKER = `navigator.serviceWorker.register('/worker.js', { type: 'module' })
  .then(() => navigator.serviceWorker.ready).then(({ active }) => active)`;
const KINDS: Record<string, Record<string, string>> = {
  Chromium: {
    'a worker': `new Worker('/worker.js', { type: 'module' })`,
    'a shared worker': `new SharedWorker('/worker.js', { type: 'module' }).port`,
    'a service worker': SERVICE_WORKER,
  },
  Firefox: { 'a worker': `new Worker('/worker.js', { type: 'module' })` },
};

/** A page with a worker, and the function that resolves with the value of an expression in it. */
async function inWorker(page: AnyPage, worker: string): Promise<<T>(expression: string) => Promise<T>> {
  await result(page, `(window.worker = await (${worker}), true)`);
  return expression => result(page, `new Promise(resolve => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    worker.postMessage(${JSON.stringify(`(async () => (${expression}))()`)}, [port2]);
  })`);
}

const script = (url: string) => `(() => {
  [self.told, self.errors] = [[], []];
  const auth = client.createAuth({ url: ${JSON.stringify(url)} });
  self.db = client.createClient({
    url: ${JSON.stringify(url)}, auth, schema: { version: '', collections: {} }, warn() {}, realtime: client.realtime,
  });
  self.watch = () => db.from('tags').subscribe({ where: { name: ['like', 'worker%'] }, orderBy: [{ field: 'id' }] },
    ({ data, state }) => told.push([state, data.map(({ name }) => name).join()]), ({ code }) => errors.push(code));
  return true;
})()`;

for (const [name, open] of some(BROWSERS)) {
  test(`workers list rows, follow them, and keep a session in memory: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, sql } = await lendAccounts(t, OPEN, { template: 'served_store' });
    const origin = await servePage(t, MODULES);
    for (const [n, [kind, worker]] of Object.entries(KINDS[name] ?? {}).entries()) {
      const page = await tab(browser, origin, '');
      const ask = await inWorker(page, worker);
      t.equal(await ask(script(address)), true, kind);
      t.match(await ask(`db.auth.session().then(session => session ?? 'none')`), 'none');
      const email = `${n}${ADA.email}`;
      t.match(await ask(`db.auth.register(${JSON.stringify({ ...ADA, email })})`), { user: { email } });
      t.match(await ask('db.auth.me()'), { email });
      t.equal(await result(page, 'localStorage.length'), 0);
      t.same(await ask(`db.from('tags').list({ where: { id: 1 }, fields: ['id'] }).then(({ data }) => data)`), [{ id: 1 }]);

      await ask('(self.subscription = watch(), true)');
      await until('it is live', () => ask(`subscription.state === 'live'`));
      await add(sql, `worker ${n}`);
      await until('it has the row', () => ask(`told.at(-1)[1].endsWith('worker ${n}')`));
      t.equal(await ask('told.at(-1)[0]'), 'live');
      await ask('(subscription.unsubscribe(), true)');
      await ask('db.auth.signOut()');
      t.equal(await ask(`db.auth.session().then(session => session ?? 'none')`), 'none');
      t.same(await ask('errors'), []);
    }
  });

  test(`a worker without WebSocket is told so by a subscription, and its calls go on: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address } = await lendAccounts(t, OPEN, { template: 'served_store' });
    const ask = await inWorker(await tab(browser, await servePage(t, MODULES), ''), `new Worker('/bare.js', { type: 'module' })`);
    await ask(script(address));
    await ask(`db.auth.register(${JSON.stringify(ADA)})`);
    t.match(await ask('watch()'), { failed: 'NOT_SUPPORTED' });
    t.equal(await ask(`db.from('tags').list({ limit: 1 }).then(({ data }) => data.length)`), 1);
    t.same(await ask('[told, errors]'), [[], []]);
  });

  if (KINDS[name]?.['a service worker'] === undefined) continue;
  test(`a service worker answers a fetch of its page with rows: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, sql } = await lendAccounts(t, OPEN, { template: 'served_store' });
    const page = await tab(browser, await servePage(t, MODULES), '');
    await inWorker(page, SERVICE_WORKER);
    await page.until('navigator.serviceWorker.controller');
    const names = (await sql<{ name: string }[]>`select name from tags order by name`).map(({ name }) => name);
    const query = new URLSearchParams({ url: address, token: SERVICE_KEY });
    t.same(await result(page, `fetch('/names?${String(query)}').then(answer => answer.json())`), names);
  });
}
