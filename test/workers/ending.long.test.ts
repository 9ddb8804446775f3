import { test } from 'tap';
import { until } from '../harness/until.ts';
import { childrenOf, isRunning } from '../harness/children.ts';
import { answeredBy, BOTH, isOk, PATHS, startService, type Answer, type Service } from './service.ts';

const workersOf = ({ gateway }: Service): number[] => childrenOf(gateway.process, 'worker');

test('workers end and are replaced; the parent ends them all', async t => {
  const service = await startService(t);
  const { gateway, database: { sql }, ask, port } = service;
  await answeredBy(service, BOTH, '/health', isOk);

  await t.test('one is killed under load: no answer is wrong', async t => {
    const clients = await load(service);
    const [killed = 0, spared = 0] = workersOf(service);
    await until('the load runs', () => Promise.resolve(clients.seen.right > 200));
    process.kill(killed, 'SIGKILL');
    const before = clients.seen.right;
    await until('clients are served on', () => Promise.resolve(clients.seen.right > before + 200));
    await answeredBy(service, BOTH, '/health', isOk);
    await clients.end();
    t.same(clients.seen.wrong, []);
    t.notOk(workersOf(service).includes(killed));
    t.ok(workersOf(service).includes(spared));
    t.match(gateway.output(), /Worker \d ended unexpectedly \(killed by SIGKILL\)\. Starting it again in 50 ms\./);
  });

  await t.test('one cannot start: it is tried again, slower each time, while the other serves', async t => {
    await sql`insert into service.migrations (number, name, hash, previous_hash) values (999999, '999999.sql', 'sha1:later', '-')`;
    const said = gateway.output().length;
    const pauses = () => [...gateway.output().slice(said).matchAll(/Starting it again in (\d+) ms/g)].map(([, pause]) => Number(pause));
    process.kill(workersOf(service)[0] ?? 0, 'SIGKILL');
    await until('it was tried again', () => Promise.resolve(pauses().length >= 2));
    const [first = 0, second] = pauses();
    t.equal(second, 2 * first);
    t.match(gateway.output(), /Worker \d could not start: The database has migration 999999\.sql, which this version does not know/);
    t.equal((await ask('/data/products/7')).status, 200);
    await sql`delete from service.migrations where number = 999999`;
    await answeredBy(service, BOTH, '/health', isOk);
  });

  await t.test('SIGTERM ends one, Ctrl-C, which reaches the whole group, none', async t => {
    const [asked = 0, other = 0] = workersOf(service);
    process.kill(other, 'SIGINT');
    process.kill(asked, 'SIGTERM');
    await until('one is replaced', () => Promise.resolve(!isRunning(asked) && workersOf(service).length === 2));
    t.ok(workersOf(service).includes(other));
    t.match(gateway.output(), /Worker \d ended unexpectedly \(exit code 0\)/);
    await answeredBy(service, BOTH, '/data/products/7', isOk);
  });

  const workers = workersOf(service);
  gateway.process.kill('SIGTERM');
  t.equal((await gateway.ended).code, 0);
  t.same(workers.filter(isRunning), []);
  await t.rejects(ask('/health'), { code: 'ECONNREFUSED' }, `port ${port} is free`);
});

/** Eight clients that ask without a pause, each answer compared with that of a calm moment. */
async function load({ ask }: Service) {
  const calm = new Map(await Promise.all(PATHS.map(async path => [path, (await ask(path)).text] as const)));
  const seen = { right: 0, broken: 0, wrong: [] as Answer[] };
  let isOver = false;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let n = client; !isOver; n++) {
      const path = PATHS[n % PATHS.length] ?? '';
      const answer = await ask(path).catch(() => undefined);
      if (answer === undefined) seen.broken += 1;
      else if (answer.status === 200 && answer.text === calm.get(path)) seen.right += 1;
      else seen.wrong.push(answer);
    }
  });
  return { seen, end: async () => { isOver = true; await Promise.all(clients); } };
}
