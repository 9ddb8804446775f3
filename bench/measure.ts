/** Requests a second and CPU time a request, in rounds that alternate between what is compared: a noisy machine is noisy for all. */
import { setTimeout } from 'node:timers/promises';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { load, type Ask } from './load/load.ts';
import { cpuTime } from './processes.ts';
import type { Running } from './servers.ts';

/** Requests a second; microseconds of CPU a request, in the server and in PostgreSQL (NaN where the kernel does not tell). */
export type Figures = { rate: number; server: number; postgres: number };
export type Rounds = { seconds: number; rounds: number };
/** `after`: called when the load of a round has ended. */
export type Entry = { server: Running; ask: Ask; connections: number; after?: () => Promise<void> };

/** The medians of each entry. */
export async function measure<Name extends string>(
  postgres: Embedded, entries: Map<Name, Entry>, rounds: Rounds,
): Promise<Map<Name, Figures>> {
  return new Map([...await measureRounds(postgres, entries, rounds)].map(([name, figures]) => [name, medians(figures)]));
}

/** Each entry's figures, round by round. The first round warms up and is not counted. */
export async function measureRounds<Name extends string>(
  postgres: Embedded, entries: Map<Name, Entry>, { seconds, rounds }: Rounds,
): Promise<Map<Name, Figures[]>> {
  const measured = new Map<Name, Figures[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, entry] of entries) {
      const figures = await once(postgres, entry, round === 0 ? Math.min(2, seconds) : seconds);
      if (round > 0) measured.set(name, [...measured.get(name) ?? [], figures]);
    }
  }
  return measured;
}

async function once(postgres: Embedded, { server, ask, connections, after }: Entry, seconds: number): Promise<Figures> {
  const [serverBefore, postgresBefore] = [cpuTime(server.pid), cpuTime(postgres.pid)];
  const done = await load(server, ask, { connections, seconds });
  if (done.requests === 0) throw new Error(`${server.name} answered no ${ask.path} in ${seconds} s: give more --seconds.`);
  const [serverAfter, postgresAfter] = [cpuTime(server.pid), cpuTime(postgres.pid)];
  await after?.();
  await settled(server.pid, postgres.pid);
  return {
    rate: done.requests / done.seconds,
    server: (serverAfter - serverBefore) / done.requests,
    postgres: (postgresAfter - postgresBefore) / done.requests,
  };
}

/** Requests that are still running after a round must not run in the next one's time. */
async function settled(...pids: number[]): Promise<void> {
  const spent = () => pids.reduce((sum, pid) => sum + cpuTime(pid), 0);
  for (let [before, tries] = [spent(), 0]; tries < 100; tries++) {
    await setTimeout(100);
    const now = spent();
    if (!(now - before > 10_000)) return;
    before = now;
  }
}

export function medians(figures: Figures[]): Figures {
  const of = (key: keyof Figures) => median(figures.map(figure => figure[key]));
  return { rate: of('rate'), server: of('server'), postgres: of('postgres') };
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
