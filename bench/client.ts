/** The typed client beside bare `fetch`, its live list beside bare frames, exact numbers beside JSON.parse; its types for the compiler. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClient } from '../client/src/index.ts';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import type { Compiled } from './client/compiling.ts';
import { following } from './client/live.ts';
import type { Parsed, Parsing } from './client/parser.ts';
import { schema, type Posts } from './client/posts.ts';
import { median, type Rounds } from './measure.ts';
import { number, type Table } from './report.ts';
import { start, type Running } from './servers.ts';

/** Callers in one process. */
const CALLERS = 4;
const LIST = '?where=%7B%22authorId%22%3A%5B%5B%22%3D%3D%22%2C7%5D%5D%2C%22status%22%3A%5B%5B%22%3D%3D%22%2C%22live%22%5D%5D%7D&limit=50';
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
      ...await parsing(await (await bare(server, `/api/data/posts${LIST}`)).text(), rounds),
      ...await live(server, url, seconds),
      ...await compiling(rounds),
    ];
    return { header: ['', 'without', 'with', 'with / without'], rows };
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

/** The answer of a list of 50, and one with three exact numbers of each row, in so many processes each. */
async function parsing(text: string, rounds: number): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, digits] of [
    ['parsing a list of 50, one exact number a row (asked: 1.15)', ['price']],
    ['three exact numbers a row', ['id', 'authorId', 'price']],
  ] as const) {
    const parsed: Parsed[] = [];
    while (parsed.length < rounds) parsed.push(await alone<Parsed>('client/parser.ts', { text, digits }));
    const [without, within] = [median(parsed.map(one => one.without)), median(parsed.map(one => one.within))];
    const times = median(parsed.map(one => one.within / one.without));
    rows.push([name, `${number(without)} µs`, `${number(within)} µs`, times.toFixed(2)]);
  }
  return rows;
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

/** 300 queries of three hops, compiled in so many processes for each size of the schema. */
async function compiling(rounds: number): Promise<string[][]> {
  const compiled: Compiled[][] = [];
  for (const collections of COLLECTIONS) {
    const each: Compiled[] = [];
    while (each.length < rounds) each.push(await alone<Compiled>('client/compiling.ts', collections));
    compiled.push(each);
  }
  const name = `300 queries, ${COLLECTIONS.join(' and ')} collections (asked: 2)`;
  const row = (what: string, figure: keyof Compiled, digits: number, unit: string) => {
    const [few = NaN, many = NaN] = compiled.map(each => median(each.map(one => one[figure])));
    return [`${what} of ${name}`, few.toFixed(digits) + unit, many.toFixed(digits) + unit, (many / few).toFixed(2)];
  };
  return [row('instantiations', 'instantiations', 0, ''), row('CPU time of the compiler', 'seconds', 1, ' s')];
}

/** The answer of a program in a process of its own. */
async function alone<Answer>(program: string, asked: Parsing | number): Promise<Answer> {
  const child = fork(join(import.meta.dirname, program));
  child.send(asked);
  return (await once(child, 'message'))[0] as Answer;
}
