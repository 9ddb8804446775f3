// Ten minutes of everything at once (npm run proof); CI runs one.
import { once } from 'node:events';
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { runs } from '../harness/effort.ts';
import { SERVICE_KEY, storeFiles } from '../harness/service.ts';
import { until } from '../harness/until.ts';

const SECONDS = runs(600);
const [STREAMS, READERS] = [50, 4];
const FILE = 1024 * 1024 * 1024;
/** Bytes that the memory of the service may grow by after the first quarter: a garbage collector takes its time. */
const LEVEL = 64 * 1024 * 1024;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

test(`${SECONDS} s of reads with ${STREAMS} streams, scrapes and downloads leave nothing behind`, { timeout: 0 }, async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const folder = t.testdir();
  mkdirSync(join(folder, 'default'));
  writeFileSync(join(folder, 'default/large.bin'), '');
  truncateSync(join(folder, 'default/large.bin'), FILE);
  const gateway = startGateway(t, {
    ...storeFiles, DATABASE_URL: url, DB_POOL_MAX: '12', SERVICE_METRICS: 'true', STORAGE_PATH: folder,
  });
  const address = await addressOf(gateway);
  const root = new URL(address).origin;
  const agent = new Agent({ keepAlive: true });
  const ask = async (path: string, own?: Agent): Promise<IncomingMessage> => {
    const asked = get(path, { ...(own ? { agent: own } : { agent: false }), headers: { authorization: `Bearer ${SERVICE_KEY}` } });
    return (await once(asked, 'response') as [IncomingMessage])[0];
  };
  const read = async (path: string): Promise<string> => Buffer.concat(await (await ask(path, agent)).toArray() as Buffer[]).toString();
  const descriptors = () => readdirSync(`/proc/${gateway.process.pid}/fd`).length;
  let isOver = false;
  const whileOn = async (act: () => Promise<unknown>): Promise<void> => { while (!isOver) await act(); };
  const memory: number[] = [];
  const statuses = new Map<number | undefined, number>();
  let downloaded = 0;

  await Promise.all(Array.from({ length: 64 }, () => read(`${address}/data/products?limit=5`)));
  await read(`${root}/metrics`);
  agent.destroy();
  await until('the connections end', () => descriptors() < 64);
  const before = descriptors();

  const streams = await Promise.all(Array.from({ length: STREAMS }, () => ask(`${address}/admin/logs/stream`)));
  for (const stream of streams) stream.resume();
  const working = [
    ...Array.from({ length: READERS }, (_, n) => whileOn(async () => {
      const answer = await ask(`${address}/data/${n % 2 === 0 ? 'products/7' : 'products?limit=20'}`, agent);
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
      await answer.toArray();
      await setTimeout(2);
    })),
    whileOn(async () => {
      memory.push(Number(/^service_process_rss_bytes (\S+)$/m.exec(await read(`${root}/metrics`))?.[1]));
      await setTimeout(500);
    }),
    whileOn(async () => {
      const file = await ask(`${address}/storage/file/large.bin`);
      t.equal(file.statusCode, 200);
      for await (const piece of file) {
        downloaded += (piece as Buffer).length;
        if (isOver) break;
      }
    }),
  ];
  await setTimeout(SECONDS * 1_000);
  isOver = true;
  await Promise.all(working);
  t.same([...statuses.keys()], [200]);
  t.ok(streams.every(stream => !stream.complete && !stream.destroyed), 'every stream goes on');
  for (const stream of streams) stream.destroy();
  agent.destroy();
  await until('no file and no socket is left', () => descriptors() <= before);
  const [early, late] = [memory.slice(memory.length / 4, memory.length / 2), memory.slice(-memory.length / 4)].map(median);
  console.log(`# ${statuses.get(200) ?? 0} reads, ${downloaded} bytes, memory ${early} and ${late}, ${before} descriptors`);
  t.ok(Number(late) - Number(early) < LEVEL, 'memory is level');
});
