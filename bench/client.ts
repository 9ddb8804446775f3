/** The typed client beside bare `fetch`, its live list beside bare frames, exact numbers beside JSON.parse; its types for the compiler. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../client/src/index.ts';
import { readJson, shapeOf, type Shape } from '../client/src/json.ts';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { checker } from '../test/client/compiler.ts';
import { following } from './client/live.ts';
import { schema, type Posts } from './client/posts.ts';
import { queries, schemaOf } from './client/schema.ts';
import { median, type Rounds } from './measure.ts';
import { number, type Table } from './report.ts';
import { start, type Running } from './servers.ts';

/** Callers in one process. */
const CALLERS = 4;
const LIST = '?where=%7B%22authorId%22%3A%5B%5B%22%3D%3D%22%2C7%5D%5D%2C%22status%22%3A%5B%5B%22%3D%3D%22%2C%22live%22%5D%5D%7D&limit=50';
/** Answers that are parsed in a round. */
const PARSED = 500;
const COLLECTIONS = [20, 2000] as const;

export async function client(_server: Embedded, url: string, { seconds, rounds }: Rounds): Promise<Table> {
  const server = await start('rowgate', url);
  try {
    const db = createClient<Posts>({
      url: server.url, schema, token: server.headers['authorization']?.replace('Bearer ', '') ?? '', warn: () => undefined,
    });
    const posts = db.from('posts');
    const list = () => posts.list({ where: { authorId: ['==', 7], status: ['==', 'live'] }, limit: 50 });
    const rows = [
      ...await beside('list of 50 (asked: 0.95)', [fetching(server, `/api/data/posts${LIST}`), list], seconds, rounds),
      ...await beside('get (asked: 0.9)', [fetching(server, '/api/data/posts/7'), () => posts.get(7)], seconds, rounds),
      ...parsing(await (await bare(server, `/api/data/posts${LIST}`)).text(), rounds),
      ...await live(server, url, seconds),
    ];
    return { header: ['', 'without', 'with', 'with / without'], rows: [...rows, compiled()] };
  } finally {
    await server.stop();
  }
}

const bare = ({ url, headers }: Running, path: string): Promise<Response> => fetch(url + path, { headers });
const fetching = (server: Running, path: string) => async (): Promise<unknown> => (await bare(server, path)).json();

/** Requests a second, in rounds that alternate. The first warms up. */
async function beside(name: string, calls: (() => Promise<unknown>)[], seconds: number, rounds: number): Promise<string[][]> {
  const rates = calls.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, call] of calls.entries()) {
      const rate = await rateOf(call, seconds);
      if (round > 0) rates[i]?.push(rate);
    }
  }
  const [without = NaN, within = NaN] = rates.map(median);
  return [[name, `${number(without)}/s`, `${number(within)}/s`, (within / without).toFixed(2)]];
}

async function rateOf(call: () => Promise<unknown>, seconds: number): Promise<number> {
  const begun = performance.now();
  let calls = 0;
  await Promise.all(Array.from({ length: CALLERS }, async () => {
    for (; performance.now() - begun < seconds * 1000; calls++) await call();
  }));
  return calls * 1000 / (performance.now() - begun);
}

/** The answer of a list of 50, and one with three exact numbers of each row. CPU time, the least of the rounds: others disturb it less. */
function parsing(text: string, rounds: number): string[][] {
  const data = shapeOf(schema, 'posts', undefined);
  const answer = (digits: readonly string[]): Shape => ({ digits: [], relations: { data: { ...data, digits } } });
  return [
    ['parsing a list of 50, one exact number a row (asked: 1.15)', ['price']],
    ['three exact numbers a row', ['id', 'authorId', 'price']],
  ].map(([name, digits]) => {
    const exact = answer(digits as string[]);
    const [without, within] = least(text, [(given): unknown => JSON.parse(given), given => readJson(given, exact)], 10 * rounds);
    return [name as string, `${number(without)} µs`, `${number(within)} µs`, (within / without).toFixed(2)];
  });
}

function least(text: string, reads: ((text: string) => unknown)[], rounds: number): [number, number] {
  const bytes = Buffer.from(text);
  const best = reads.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [i, read] of reads.entries()) {
      const texts = Array.from({ length: PARSED }, () => bytes.toString());
      const begun = process.cpuUsage();
      for (const given of texts) read(given);
      const { user, system } = process.cpuUsage(begun); // only their sum is exact: Linux shares it out by samples
      best[i] = Math.min(best[i] ?? Infinity, (user + system) / PARSED);
    }
  }
  return best as [number, number];
}

/** Ten snapshots come in a second: three times as long is measured, for the sake of p99. */
async function live(server: Running, url: string, seconds: number): Promise<string[][]> {
  const frames = await following(server, url, 'frames', 3 * seconds);
  const rows: string[][] = [];
  for (const [way, name] of [['subscribe', 'a live list of 50'], ['cache', 'the same in TanStack Query']] as const) {
    const own = await following(server, url, way, 3 * seconds);
    const row = (what: string, figure: 'mean' | 'p99' | 'longest') =>
      [`${name}, ${what}`, `${number(frames[figure])} ms`, `${number(own[figure])} ms`, (own[figure] / frames[figure]).toFixed(2)];
    rows.push(
      row(`1,000 updates/s: CPU time a snapshot, mean of ${own.told} (asked: 5 ms)`, 'mean'), row('p99', 'p99'),
      row('longest hold of the thread', 'longest'));
  }
  return rows;
}

/** 300 queries of three hops. */
function compiled(): string[] {
  const counts = COLLECTIONS.map(size => {
    const folder = mkdtempSync(join(tmpdir(), 'rowgate-types-'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'schema.ts'), schemaOf(size));
    writeFileSync(join(folder, 'queries.ts'), queries());
    const { program, complaints } = checker([join(folder, 'queries.ts')]);
    rmSync(folder, { recursive: true });
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    return program.getInstantiationCount();
  });
  const [few = NaN, many = NaN] = counts;
  const name = `instantiations of 300 queries, ${COLLECTIONS.join(' and ')} collections (asked: 2)`;
  return [name, String(few), String(many), (many / few).toFixed(2)];
}
