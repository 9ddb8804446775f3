// Pages that a service refuses, or leaves for a while, in Chromium and Firefox: in one of them at random, and in both by npm run proof.
import { test } from 'tap';
import { freePort } from '../../../gateway/process/free-port.ts';
import { addressOf, startGateway, type Gateway } from '../../boot/gateway.ts';
import { createDatabase } from '../../harness/database.ts';
import { some } from '../../harness/effort.ts';
import { openService, storeFiles, storeTables } from '../../harness/service.ts';
import { BROWSERS, result, servePage, tab } from '../session/page.ts';
import { add, script, shows, sockets } from './following.ts';
import { openProxy } from './proxy.ts';

/** Writes down rejections that nothing handles, and when each socket was asked for. */
const WATCHED = `
  window.rejections = [];
  addEventListener('unhandledrejection', ({ reason }) => rejections.push(String(reason)));
  window.asked = [];
  window.WebSocket = class extends WebSocket {
    constructor(url) {
      super(url);
      asked.push(performance.now());
    }
  };`;

/** Asks again and again, and counts the answers and the codes of refusals. */
const CALLS = `
  window.calls = { answered: 0, refused: {} };
  (async () => {
    for (;;) {
      await db.from('tags').list({ limit: 1 }).then(() => { calls.answered++; }, ({ code, message }) => {
        calls.refused[code ?? message] = (calls.refused[code ?? message] ?? 0) + 1;
      });
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  })();`;

for (const [name, open] of some(BROWSERS)) {
  test(`a page whose origin is refused is told so, and works once its origin is listed: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { url, sql } = await createDatabase(t, { template: 'served_store' });
    const serve = (origin: string) => openService(url, {
      ...storeFiles, NODE_ENV: 'production', DATABASE_URL: url, SERVICE_HOST: '127.0.0.1', CORS_ORIGINS: origin,
      MFA_ENCRYPTION_KEY: 'a key for tests that is long enough 0123456789',
    });
    let service = await serve('https://app.example.com');
    t.teardown(() => service.close());
    const proxy = await openProxy(t, () => service.address);
    const origin = await servePage(t);
    const page = await tab(browser, origin, WATCHED + script(proxy.url));
    await page.until('errors.length > 0');
    t.match(await result(page, 'errors'), [{ code: 'NETWORK', message: /CORS_ORIGINS/ }], 'once');
    t.same(await result(page, '[told, subscription.state]'), [[], 'offline']);
    t.ok(sockets(proxy) >= 3);
    t.match(await result(page, `db.from('tags').list().catch(({ code, details }) => ({ code, details }))`),
      { code: 'NETWORK', details: { reason: 'connection' } });
    const asked = proxy.heads.filter(head => /^OPTIONS .*\/data\/tags/.test(head));
    t.equal(asked.length, 4, 'it is asked for again three times');
    // After n attempts in vain the next one is a tenth of 2 ** n seconds away at least.
    const waits = (await result<number[]>(page, 'asked')).map((time, n, times) => time - (times[n - 1] ?? -Infinity));
    t.same(waits.filter((wait, n) => wait < 100 * 2 ** n - 10), [], 'sockets are asked for ever less often');

    await service.close();
    service = await serve(origin);
    await result(page, `dispatchEvent(new Event('online'))`);
    await shows(page, '');
    await add(sql, 'page 1');
    await shows(page, 'page 1');
    t.match(await result(page, `db.from('tags').list({ where: { name: 'page 1' } })`), { data: [{ name: 'page 1' }] });
    t.same(await result(page, '[errors.length, rejections]'), [1, []]);
  });

  test(`a page follows and asks on when its gateway has been started again: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { url, sql } = await createDatabase(t, { template: 'served_store' });
    const port = await freePort();
    const start = async (): Promise<Gateway> => {
      const gateway = startGateway(t, { ...storeTables, DATABASE_URL: url, PORT: String(port) });
      await addressOf(gateway);
      return gateway;
    };
    let gateway = await start();
    const page = await tab(browser, await servePage(t), WATCHED + script(`http://127.0.0.1:${port}`) + CALLS);
    await shows(page, '');
    const names: string[] = [];
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      gateway.process.kill(signal);
      await gateway.ended;
      await page.until(`told.at(-1).state === 'offline'`);
      t.equal(await result(page, 'told.at(-1).names'), names.join(), 'the last snapshot stays');
      names.push(`page ${signal}`);
      await add(sql, names.at(-1) ?? '');
      gateway = await start();
      const answered = await result<number>(page, 'calls.answered');
      await shows(page, names.join());
      await page.until(`calls.answered > ${answered}`);
    }
    const { refused } = await result<{ refused: object }>(page, 'calls');
    t.comment(JSON.stringify(refused));
    t.same(Object.keys(refused).filter(code => code !== 'NETWORK'), [], 'only connections were lost');
    t.same(await result(page, '[errors, rejections]'), [[], []]);
  });
}
