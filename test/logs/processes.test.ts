import { setTimeout } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { childrenOf } from '../harness/children.ts';
import { until } from '../harness/until.ts';
import { BOTH, startService, type Service } from '../workers/service.ts';
import { comes, streamOf, type Entry, type Stream } from './client.ts';

type Listed = { entries: Entry[]; total: number; instance: string };

/** One stream at each worker. */
async function streamsOf(t: Pick<Test, 'teardown'>, { address }: Service, query = ''): Promise<Stream[]> {
  const found = new Map<string | null, Stream>();
  await until('a stream at each worker', async () => {
    const stream = await streamOf(t, address, { query, headers: { connection: 'close' } });
    const worker = stream.response.headers.get('x-rowgate-worker');
    if (found.has(worker)) stream.close();
    else found.set(worker, stream);
    return found.size === BOTH.length;
  });
  return [...found.values()];
}

/** The log as each worker shows it. */
async function listsOf({ ask }: Service, query: string): Promise<Listed[]> {
  const found = new Map<string | undefined, Listed>();
  await until('each worker answers', async () => {
    const { worker, text } = await ask(`/admin/logs${query}`);
    found.set(worker, JSON.parse(text) as Listed);
    return found.size === BOTH.length;
  });
  return [...found.values()];
}

const pathOf = ({ metadata }: Entry) => metadata['path'];

test('one start has one ring, which every worker shows and streams', async t => {
  const service = await startService(t, { LOG_LEVEL: 'error', ALLOW_REGISTRATION: 'true', TRUSTED_PROXY_HOPS: '1' });
  const streams = await streamsOf(t, service, '?search=nothing-');
  const through = new Set<string | undefined>();
  const sent: string[] = [];
  for (let n = 1; n <= 20; n++) {
    sent.push(`/api/nothing-${n}`);
    through.add((await service.ask(`/nothing-${n}`)).worker);
  }
  t.equal(through.size, 2, 'both have answered some');
  for (const stream of streams) {
    await until('all of them', () => stream.entries().length >= sent.length);
    t.same(stream.entries().map(pathOf).sort(), sent.toSorted());
  }
  const lists = await listsOf(service, '?search=nothing-');
  for (const { entries, total } of lists) {
    t.equal(total, sent.length);
    t.same(entries.map(pathOf).sort(), sent.toSorted());
    t.same(entries.map(({ id }) => id), lists[0]?.entries.map(({ id }) => id));
  }
  t.equal(new Set(lists.map(({ instance }) => instance)).size, 1);

  await t.test('the lines of each process are in it, whatever LOG_LEVEL is', async t => {
    let n = 0;
    const list = await until('lines of both workers', async () => {
      const body = JSON.stringify({ email: `person${++n}@example.org`, password: 'Correct-horse-1' });
      // Each from an address of its own, since registrations of one are limited.
      const headers = { 'content-type': 'application/json', 'connection': 'close', 'x-forwarded-for': `198.51.100.${n}` };
      await fetch(`${service.address}/auth/register`, { method: 'POST', headers, body });
      const [list] = await listsOf(service, '?source=system&search=mailbox');
      const workers = new Set(list?.entries.map(({ metadata }) => metadata['worker']));
      return workers.has(1) && workers.has(2) && list;
    });
    t.match(list.entries[0], { level: 'info', source: 'system', message: 'A mail is in the development mailbox.' });
    t.notMatch(service.gateway.output(), 'mailbox');
  });

  await t.test('a worker that is killed leaves its entries, and its successor goes on', async t => {
    const [killed] = childrenOf(service.gateway.process, 'worker') as [number];
    process.kill(killed, 'SIGKILL');
    await until('another one', () => {
      const found = childrenOf(service.gateway.process, 'worker');
      return found.length === 2 && !found.includes(killed);
    });
    for (const { total } of await listsOf(service, '?search=nothing-')) t.equal(total, sent.length);
    const [list] = await listsOf(service, '?level=warn&search=ended%20unexpectedly');
    t.match(list?.entries[0], { source: 'system', message: /^Worker [12] ended unexpectedly \(killed by SIGKILL\)/ });
    const [left] = streams.filter(stream => !stream.isOver());
    await service.ask('/nothing-21');
    if (left !== undefined) await comes(left, 'the next one', entry => pathOf(entry) === '/api/nothing-21');
    t.ok(left);
  });

  await t.test('a worker that hangs is left out', async t => {
    const [stopped] = childrenOf(service.gateway.process, 'worker') as [number];
    process.kill(stopped, 'SIGSTOP');
    const answer = await until('the other answers', () =>
      Promise.race([service.ask('/admin/logs?search=nothing-'), setTimeout(2_000, undefined)]));
    process.kill(stopped, 'SIGCONT');
    t.match(JSON.parse(answer.text), { total: sent.length + 1 });
  });
});
