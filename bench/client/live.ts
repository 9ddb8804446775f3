/** The cost of a list of 50 that changes without end, for the main thread of a client. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connection } from '../database.ts';
import type { Running } from '../servers.ts';
import type { Order, Told, Way } from './follower.ts';
import type { Post } from './posts.ts';

/** Rows of one statement, and milliseconds between two: 1,000 rows a second. */
const BATCH = 20;
const PACE = 20;
/** Milliseconds until the last snapshot is to be there. */
const PATIENCE = 10_000;
const IDS = `select id from posts where author_id = 7 and status = 'live' order by id limit 50`;

/** Milliseconds a snapshot; `longest`: of the event loop, whatever else the machine did. */
export type Cost = { mean: number; p99: number; longest: number; told: number };

/** @throws when the last snapshot differs from SQL */
export async function following(server: Running, databaseUrl: string, way: Way, seconds: number): Promise<Cost> {
  const sql = connection(databaseUrl);
  const child = fork(join(import.meta.dirname, 'follower.ts'));
  const report = async (): Promise<Told> => {
    child.send('report' satisfies Order);
    return (await once(child, 'message'))[0] as Told;
  };
  try {
    child.send({ way, url: server.url, token: server.headers['authorization']?.replace('Bearer ', '') ?? '' } satisfies Order);
    const writer = writing(sql);
    await setTimeout(2_000); // warms up
    await report();
    await setTimeout(seconds * 1_000);
    const { cpu, busy } = await report();
    await writer.end();
    const written = (await sql.unsafe<Post[]>(`select id, price::float8 from posts where id in (${IDS}) order by id`)).map(figures).join();
    const isShown = async () => (await report()).rows.map(figures).join() === written;
    for (const end = Date.now() + PATIENCE; !await isShown(); await setTimeout(50)) {
      if (Date.now() > end) throw new Error(`The last snapshot of ${way} is not what SQL has.`);
    }
    const sorted = cpu.toSorted((a, b) => a - b);
    return {
      mean: cpu.reduce((sum, one) => sum + one, 0) / cpu.length, p99: sorted[Math.ceil(cpu.length * 0.99) - 1] ?? NaN,
      longest: Math.max(...busy), told: cpu.length,
    };
  } finally {
    child.kill();
    await sql.end();
  }
}

function figures({ id, price }: Post): string {
  return `${id}: ${Number(price)}`;
}

/** Changes rows of the list, one batch after the other, until it is to end. */
function writing(sql: ReturnType<typeof connection>): { end: () => Promise<void> } {
  const over = new AbortController();
  const done = (async () => {
    for (let next = performance.now(), n = 0; !over.signal.aborted; n++) {
      await sql.unsafe(`update posts set price = (price + 1) % 10000 where id in (
        select id from (${IDS}) list offset ${n * BATCH % 31} limit ${BATCH})`);
      next += PACE;
      await setTimeout(Math.max(0, next - performance.now()));
    }
  })();
  return { end: () => { over.abort(); return done; } };
}
