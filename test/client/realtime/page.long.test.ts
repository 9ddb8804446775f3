// Subscriptions of pages, in Chromium and Firefox: in one of them at random, and in both by npm run proof.
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { openBrowser, type AnyPage } from '../../harness/browser.ts';
import { some } from '../../harness/effort.ts';
import { lendService } from '../../harness/lend.ts';
import { until } from '../../harness/until.ts';
import { begin, BROWSERS, FRAMES, result, servePage, tab } from '../session/page.ts';
import { add, HEARTBEAT, script, shows, sockets } from './following.ts';
import { openProxy } from './proxy.ts';

const NEVER = 2_000_000_000;

for (const [name, open] of some(BROWSERS)) {
  test(`a page follows rows over lost connections and a stopped browser: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, sql } = await lendService(t, {});
    const proxy = await openProxy(t, () => address);
    const page = await tab(browser, await servePage(t), script(proxy.url));
    await shows(page, '');
    await add(sql, 'page 1');
    await shows(page, 'page 1');

    proxy.refuse(true);
    proxy.drop();
    await page.until(`told.at(-1).state === 'offline'`);
    t.equal(await result(page, 'told.at(-1).names'), 'page 1', 'the last snapshot stays');
    await add(sql, 'page 2');
    proxy.refuse(false);
    await shows(page, 'page 1,page 2');
    t.same(await result(page, 'told.slice(-3).map(({ state }) => state)'), ['offline', 'catching up', 'live']);

    proxy.stall(true);
    await add(sql, 'page 3');
    await page.until(`told.at(-1).state === 'offline'`);
    proxy.drop();
    proxy.stall(false);
    await shows(page, 'page 1,page 2,page 3');

    for (const [n, meddle] of [() => undefined, proxy.drop].entries()) {
      browser.signal('SIGSTOP');
      meddle();
      await add(sql, `page ${n + 4}`);
      await setTimeout(2 * HEARTBEAT);
      await sql`delete from tags where name = ${`page ${n + 1}`}`;
      browser.signal('SIGCONT');
      await shows(page, ['page 2,page 3,page 4', 'page 3,page 4,page 5'][n] ?? '');
    }
    t.same(await result(page, 'errors'), []);
  });

  test(`subscriptions of a page share a socket, and each tab has its own: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, sql } = await lendService(t, {});
    const proxy = await openProxy(t, () => address);
    const origin = await servePage(t);
    const pages = [await tab(browser, origin, script(proxy.url)), await tab(browser, origin, script(proxy.url))];
    for (const page of pages) {
      await shows(page, '');
      await result(page, `(window.all = [2, 3, 4, 5].map(limit => watch({ limit })), true)`);
      await page.until(`all.every(({ state }) => state === 'live')`);
    }
    await add(sql, 'page');
    for (const page of pages) await page.until(`told.filter(({ names }) => names === 'page').length === 5`);
    t.equal(sockets(proxy), 2);
  });

  test(`a page without a network says so, and follows again when there is one: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, sql } = await lendService(t, {});
    const proxy = await openProxy(t, () => address);
    const page = await tab(browser, await servePage(t), script(proxy.url, { heartbeat: NEVER }));
    await add(sql, 'page 1');
    await shows(page, 'page 1');
    // A real network carries nothing then; the emulated one lets open sockets be.
    proxy.stall(true);
    await page.offline(true);
    await add(sql, 'page 2');
    await page.until(`told.at(-1).state === 'offline'`);
    t.equal(await result(page, 'told.at(-1).names'), 'page 1', 'the last snapshot stays');
    proxy.drop();
    proxy.stall(false);
    await page.offline(false);
    await shows(page, 'page 1,page 2');
    t.same(await result(page, 'told.slice(-3).map(({ state }) => state)'), ['offline', 'catching up', 'live']);
    t.same(await result(page, 'errors'), []);
  });

  test(`a page that is hidden leaves its socket alone, and one that is shown asks at once whether it lives: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, sql } = await lendService(t, {});
    const proxy = await openProxy(t, () => address);
    const page = await browser.page(480, 720);
    proxy.stall(true); // its socket is still opening when it is hidden
    await page.open(await servePage(t));
    await begin(page, FRAMES + script(proxy.url, { heartbeat: NEVER }));
    await until('a socket is asked for', () => sockets(proxy) === 1);
    const other = await browser.page(480, 720);
    const asked = () => result<number>(page, `sentTypes.filter(type => type === 'AUTHENTICATE').length`);
    const show = async (shown: AnyPage, state: string) => {
      await shown.show();
      await page.until(`document.visibilityState === '${state}'`);
    };
    await show(other, 'hidden');
    t.equal(sockets(proxy), 1);
    proxy.stall(false);
    await show(page, 'visible');
    await shows(page, '');
    t.same([sockets(proxy), await asked()], [2, 1]);

    await show(other, 'hidden');
    await add(sql, 'page 1');
    await shows(page, 'page 1');
    t.equal(await asked(), 1);
    await show(page, 'visible');
    await until('it asks', async () => await asked() === 2);
    t.same(await result(page, 'errors'), []);
  });
}

// Firefox freezes no page.
test('a page that was frozen follows again once it is shown', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return;
  const { address, sql } = await lendService(t, {});
  const proxy = await openProxy(t, () => address);
  const page = await tab(browser, await servePage(t), script(proxy.url, { heartbeat: NEVER }));
  await add(sql, 'page 1');
  await shows(page, 'page 1');
  await (await browser.page(480, 720)).show();
  await page.until(`document.visibilityState === 'hidden'`);
  await page.tell('Page.setWebLifecycleState', { state: 'frozen' });
  proxy.drop();
  await add(sql, 'page 2');
  await page.tell('Page.setWebLifecycleState', { state: 'active' });
  await page.show();
  await shows(page, 'page 1,page 2');
  t.same(await result(page, 'errors'), []);
});
