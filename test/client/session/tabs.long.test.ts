// Tabs that share a session, in Chromium and Firefox: in one of them at random, and in both by npm run proof.
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { OPEN } from '../../accounts/people.ts';
import { addressOf, startGateway, type Gateway } from '../../boot/gateway.ts';
import { createDatabase } from '../../harness/database.ts';
import { generator, runs, seed, some } from '../../harness/effort.ts';
import { until } from '../../harness/until.ts';
import { ADA } from './people.ts';
import { BROWSERS, result, servePage, tab } from './page.ts';

const TABS = 5;
const SHOWN = 3;
/** Milliseconds that a call may take, with everything that is sent again. */
const LONGEST = 10_000;

/** Counts of a tab. Refusals are counted by their code: a lost connection is none. */
type Seen = { calls: number; refreshes: number; longest: number; signedOut: number; refusals: Record<string, number> };

/** Asks who is signed in, again and again. */
const script = (url: string) => `
  window.seen = { calls: 0, refreshes: 0, longest: 0, signedOut: 0, refusals: {} };
  window.auth = client.createAuth({ url: ${JSON.stringify(url)}, fetch: async (...request) => {
    const answer = await fetch(...request);
    if (answer.ok && request[0].endsWith('/auth/refresh')) seen.refreshes++;
    return answer;
  } });
  auth.onChange(session => { if (session === undefined) seen.signedOut++; });
  window.work = async () => {
    for (;;) {
      const began = performance.now();
      await auth.me().catch(({ code, message }) => { seen.refusals[code ?? message] = (seen.refusals[code ?? message] ?? 0) + 1; });
      seen.calls++;
      seen.longest = Math.max(seen.longest, performance.now() - began);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  };`;

type Front = { url: string; to: (port: number | undefined) => void };

/** One address before gateways that come and go. */
async function front(t: Pick<Test, 'teardown'>): Promise<Front> {
  let target: number | undefined;
  const open = new Set<Socket>();
  const server = createServer(socket => {
    if (target === undefined) return socket.destroy();
    const onward = createConnection(target, '127.0.0.1');
    for (const one of [socket, onward]) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => { open.delete(one); socket.destroy(); onward.destroy(); });
    }
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { open.forEach(one => one.destroy()); server.close(); });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, to: port => { target = port; } };
}

for (const [name, open] of some(BROWSERS)) {
  test(`five tabs with tokens of two seconds stay signed in over kills of the gateway and stops of the browser: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    t.comment(`RANDOM_SEED=${seed}`);
    const below = generator(seed);
    const { url } = await createDatabase(t, { template: 'served' });
    const started = async (): Promise<{ gateway: Gateway; port: number }> => {
      const gateway = startGateway(t, { ...OPEN, DATABASE_URL: url, SERVICE_SOURCE: 'tables', JWT_ACCESS_EXPIRES_IN: '2s' });
      return { gateway, port: Number(new URL(await addressOf(gateway)).port) };
    };
    let serving = await started();
    const { url: address, to } = await front(t);
    to(serving.port);
    const origin = await servePage(t);
    const pages = await Promise.all(Array.from({ length: TABS }, () => tab(browser, origin, script(address))));
    const [first] = pages;
    if (first === undefined) return;
    // The last one is shown too: one of them is in the background.
    for (const page of pages.slice(0, SHOWN)) await page.keepShown();
    await result(first, `auth.register(${JSON.stringify(ADA)})`);
    await Promise.all(pages.map(page => result(page, '(void work(), true)')));
    const seen = () => Promise.all(pages.map(page => result<Seen>(page, 'seen')));
    const refreshes = async () => (await seen()).reduce((sum, one) => sum + one.refreshes, 0);

    const [wanted, rounds] = [runs(500), runs(10)];
    for (let round = 1; round <= rounds; round++) {
      await until('refreshes', async () => await refreshes() >= wanted * round / rounds, { limit: 300_000, pause: 200 });
      // The next one is there first: how long a start takes is the machine's affair.
      const next = await started();
      to(undefined);
      serving.gateway.process.kill('SIGKILL');
      await setTimeout(below(2_000));
      serving = next;
      to(serving.port);
      browser.signal('SIGSTOP');
      await setTimeout(below(3_000));
      browser.signal('SIGCONT');
    }
    const before = await refreshes();
    await until('a refresh after the last kill', async () => await refreshes() > before);

    const all = await seen();
    t.comment(JSON.stringify(all));
    for (const { signedOut, longest, refusals: { NETWORK: lost = 0, ...others }, calls } of all) {
      t.equal(signedOut, 0);
      t.same(others, {}, 'only connections were lost');
      t.ok(calls > lost, `${calls} calls, ${lost} of them without an answer`);
      t.ok(longest < LONGEST, `${Math.round(longest)} ms`);
    }
    for (const page of pages) t.match(await result(page, 'auth.me()'), { email: ADA.email });
    for (const { faults } of pages) t.same(faults, []);
  });
}
