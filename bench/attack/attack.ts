/** The effect of each flood on a client that sends one request at a time, and the memory that it leaves behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Embedded } from '../../gateway/embedded/embedded.ts';
import { preparedBy } from '../before.ts';
import { memory, ownMemory } from '../processes.ts';
import { number, type Table } from '../report.ts';
import { start, type Running } from '../servers.ts';
import { FLOODS } from './floods.ts';

/** Milliseconds between two requests of the innocent. */
const PAUSE = 5;
/** Seconds after which what a flood has taken should be given back. */
const PATIENCE = 15;

/** The first is what an innocent meets without a flood. */
const NAMES = ['nothing', ...FLOODS.map(({ name }) => name)];

type Suffered = { answers: string; slowest: number; gateway: number; postgres: number };

/** With the folder of another checkout, compiled there, both. */
export async function attack(server: Embedded, url: string, { seconds }: { seconds: number }, before?: string): Promise<Table> {
  const folder = before === undefined ? undefined : resolve(before);
  const then = folder === undefined ? undefined : await suffered(server, await preparedBy(server, folder), seconds, folder);
  const now = await suffered(server, url, seconds);
  const columns = ['answers', 'p99 of a get meanwhile', 'left in the gateway', 'left in PostgreSQL'];
  return {
    header: ['', ...(then ? columns.map(name => `before: ${name}`) : []), ...columns],
    rows: NAMES.map(name => [name, ...(then ? cells(then.get(name)) : []), ...cells(now.get(name))]),
  };
}

function cells(figures: Suffered | undefined): string[] {
  if (!figures) return ['–', '–', '–', '–'];
  const { answers, slowest, gateway, postgres } = figures;
  return [answers, `${number(slowest)} ms`, `${number(gateway)} MiB`, `${number(postgres)} MiB`];
}

async function suffered(server: Embedded, url: string, seconds: number, folder?: string): Promise<Map<string, Suffered>> {
  const found = new Map<string, Suffered>();
  for (const name of NAMES) {
    const gateway = await start('rowgate', url, { ...(folder !== undefined && { folder }) });
    try {
      const figures = await flooded(server, gateway, name, seconds);
      console.error([name, ...cells(figures)].join('  '));
      found.set(name, figures);
    } finally {
      await gateway.stop();
    }
  }
  return found;
}

async function flooded(server: Embedded, gateway: Running, name: string, seconds: number): Promise<Suffered> {
  await innocent(gateway, setTimeout(2000)); // warm
  const [ours, theirs] = [memory(gateway.pid), ownMemory(server.pid)];
  const flood = name === 'nothing' ? setTimeout(seconds * 1000, '[]') : sent(gateway, name, seconds);
  const times = await innocent(gateway, flood);
  const answers = (JSON.parse(await flood) as [number, number][]).map(([status, count]) => `${count} × ${status}`).join(', ');
  let [left, leftThere] = [Infinity, Infinity];
  for (let second = 0; second < PATIENCE; second++) {
    await setTimeout(1000);
    left = Math.min(left, memory(gateway.pid) - ours);
    leftThere = Math.min(leftThere, ownMemory(server.pid) - theirs);
  }
  return { answers, slowest: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN, gateway: left, postgres: leftThere };
}

async function sent({ url, headers }: Running, name: string, seconds: number): Promise<string> {
  const program = spawn(process.execPath, [join(import.meta.dirname, 'send.ts'), url, JSON.stringify(headers), name, String(seconds)],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(program.stdout), once(program, 'close')]);
  return output;
}

/** Milliseconds of each request, until the other has ended. */
async function innocent({ url, headers }: Running, until: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const state = { isOver: false };
  void until.finally(() => { state.isOver = true; });
  for (let n = 1; !state.isOver; n++) {
    const begun = performance.now();
    const response = await fetch(`${url}/api/data/posts/${1 + n % 1000}`, { headers });
    await response.arrayBuffer();
    times.push(response.ok ? performance.now() - begun : Infinity);
    await setTimeout(PAUSE);
  }
  return times;
}
