import { setTimeout as delay } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { runs } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { ask, start, usedFolder } from '../start/folders.ts';
import { open } from './client.ts';

const CLIENTS = 8;
/** How many rows each kind of request writes, and how it says so. */
const KINDS = [
  { rows: 1, path: 'written', body: (n: number) => ({ n, part: 0 }) },
  { rows: 20, path: 'written/bulk', body: (n: number) => ({ rows: Array.from({ length: 20 }, (_, part) => ({ n, part })) }) },
  {
    rows: 3, path: '_batch',
    body: (n: number) => ({ operations: [0, 1, 2].map(part => ({ op: 'create', collection: 'written', values: { n, part } })) }),
  },
];

type Sent = { n: number; rows: number; isKeyed: boolean; isAcknowledged: boolean };

/** Numbered writes without a pause. With a key one is sent again until it is answered; without, it is left unknown. */
function load(address: () => string): { answered: () => number; end: () => Promise<Sent[]> } {
  const sent: Sent[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      const n = sent.length;
      const { rows, path, body } = KINDS[n % KINDS.length] as (typeof KINDS)[number];
      const isKeyed = n % 2 === 0;
      const one: Sent = { n, rows, isKeyed, isAcknowledged: false };
      sent.push(one);
      const headers = {
        authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json', ...(isKeyed && { 'idempotency-key': `write ${n}` }),
      };
      do {
        const status = await fetch(`${address()}/api/data/${path}`,
          { method: 'POST', headers, body: JSON.stringify(body(n)), signal: AbortSignal.timeout(20_000) })
          .then(async response => response.text().then(() => response.status), () => 0);
        one.isAcknowledged = status === 200 || status === 201;
        if (!one.isAcknowledged) await delay(50);
      } while (isKeyed && !one.isAcknowledged);
    }
  });
  return {
    answered: () => sent.filter(({ isAcknowledged }) => isAcknowledged).length,
    async end() {
      isOver = true;
      await Promise.all(clients);
      return sent;
    },
  };
}

test('nothing acknowledged is lost, no retry is done twice and nothing half, while the gateway and PostgreSQL are killed', {
  timeout: 900_000,
}, async t => {
  let restarts = 0;
  const server = await start(t, await usedFolder(t), { onRestart: () => { restarts += 1; } });
  await ask(server.url, `create table written (id bigint generated always as identity primary key,
    n integer not null, part integer not null); ${open('written')}`);
  const port = String(await freePort());
  const gateway = async (t: Pick<Test, 'teardown'>) => {
    const started = startGateway(t, { DATABASE_URL: server.url, PORT: port });
    await addressOf(started);
    return started;
  };
  let running = await gateway(t);
  const clients = load(() => `http://localhost:${port}`);
  const kills = runs(20);
  for (let kill = 0; kill < kills; kill++) {
    const before = clients.answered();
    await until('thirty more are answered', () => clients.answered() > before + 30);
    await delay(Math.random() * 50);
    if (kill % 2 === 0) {
      running.process.kill('SIGKILL');
      await running.ended;
      running = await gateway(t);
    } else {
      const seen = restarts;
      process.kill(server.pid, 'SIGKILL');
      await until('it starts again', () => restarts > seen);
    }
  }
  const before = clients.answered();
  await until('thirty more are answered', () => clients.answered() > before + 30);
  const sent = await clients.end();

  const counts =
    new Map((await ask(server.url, 'select n, count(*)::integer as rows, count(distinct part)::integer as parts from written group by n'))
    .map(row => [row['n'] as number, row as unknown as { rows: number; parts: number }]));
  const wrong = sent.filter(({ n, rows, isKeyed, isAcknowledged }) => {
    const found = counts.get(n) ?? { rows: 0, parts: 0 };
    const isDone = found.rows === rows && found.parts === rows;
    return isAcknowledged || isKeyed ? !isDone : !isDone && found.rows !== 0;
  });
  t.same(wrong.map(one => ({ ...one, found: counts.get(one.n) })), []);
  const unknown = sent.filter(({ isAcknowledged }) => !isAcknowledged);
  t.comment(`${kills} kills, ${sent.length} writes, ${unknown.length} not acknowledged, ${unknown.filter(({ n }) =>
    counts.has(n)).length} of them done`);
  t.ok(sent.some(({ isKeyed }) => isKeyed) && unknown.length > 0, 'some were under way');
});
