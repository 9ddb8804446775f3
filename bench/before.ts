/** This checkout against another one of the same project (--before=folder): what a change costs, in alternated pairs of rounds. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { CASES, RULED, type Case } from './cases.ts';
import { connection, createDatabase, emptyDatabase } from './database.ts';
import { measureRounds, median, medians, type Figures, type Rounds } from './measure.ts';
import { cpuTime, memory } from './processes.ts';
import { cell, number, type Table } from './report.ts';
import { fillRuled, RULED_TABLES } from './requests.ts';
import { LIVENESS, start, type Running, type Start } from './servers.ts';

type Side = { folder: string | undefined; url: string };

/** The other checkout is compiled there before: npm run build. `topics`: of requests; by default all. */
export async function againstBefore(server: Embedded, folder: string, rounds: Rounds, topics?: string[]): Promise<Table> {
  const wanted = (cases: Case[]) => cases.filter(({ topic }) => topics?.includes(topic) ?? true);
  const before: Side = { folder: resolve(folder), url: await preparedBy(server, resolve(folder)) };
  const now: Side = { folder: undefined, url: await createDatabase(server, 'bench_now') };
  const rows = [
    ...await starts(before, now, rounds), ...await requests(server, before, now, rounds, wanted(CASES)),
    ...await requests(server, before, now, rounds, wanted(RULED), { first: LIVENESS, env: RULED_TABLES }, fillRuled),
  ];
  return { header: ['', 'before', 'now', 'now / before', 'by CPU time'], rows };
}

/** As createDatabase() does it, by the other checkout's own migrations. */
export async function preparedBy(server: Embedded, folder: string): Promise<string> {
  const url = await emptyDatabase(server, 'bench_before');
  await (await start('rowgate', url, { folder, first: LIVENESS })).stop();
  const sql = connection(url);
  await sql.unsafe(readFileSync(join(import.meta.dirname, 'data.sql'), 'utf8')).simple();
  await sql`vacuum analyze`;
  await sql.end();
  return url;
}

async function starts(before: Side, now: Side, { rounds }: Rounds): Promise<string[][]> {
  const of = async ({ url, folder }: Side) => {
    const gateway = await start('rowgate', url, { ...(folder !== undefined && { folder }) });
    const figures = { startup: gateway.startup, cpu: cpuTime(gateway.pid) / 1000, memory: memory(gateway.pid) };
    await gateway.stop();
    return figures;
  };
  const pairs: [Awaited<ReturnType<typeof of>>, Awaited<ReturnType<typeof of>>][] = [];
  await of(before); // grants once
  await of(now);
  for (let round = 0; round < rounds; round++) pairs.push([await of(before), await of(now)]);
  const row = (name: string, unit: string, key: 'startup' | 'cpu' | 'memory') => {
    const [old, ours] = [0, 1].map(side => median(pairs.map(pair => pair[side as 0 | 1][key]))) as [number, number];
    return told([name, `${number(old)} ${unit}`, `${number(ours)} ${unit}`, (ours / old).toFixed(2), '']);
  };
  return [
    row('start to first answer', 'ms', 'startup'), row('CPU time until then', 'ms', 'cpu'), row('memory after start', 'MiB', 'memory'),
  ];
}

/** Each pair is of processes of its own: what the compiler made of one may be faster by a fifth than what it made of another. */
async function requests(
  server: Embedded, before: Side, now: Side, { seconds, rounds }: Rounds, cases: Case[], options: Start = {},
  fill?: (url: string) => Promise<void>,
): Promise<string[][]> {
  const measured = new Map(cases.map(({ name }) => [name, { before: [] as Figures[], now: [] as Figures[] }]));
  const kept = { before: [] as number[], now: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const running = new Map<'before' | 'now', Running>();
    try {
      for (const [name, { url, folder }] of [['before', before], ['now', now]] as const) {
        running.set(name, await start('rowgate', url, { ...options, ...(folder !== undefined && { folder }) }));
        if (round === 0) await fill?.(url);
      }
      const inTurn = round % 2 === 0 ? [...running] : [...running].reverse();
      for (const { name, connections, asks: { rowgate: ask } } of cases) {
        if (!ask) continue;
        const entries = new Map(inTurn.map(([side, gateway]) => [side, { server: gateway, ask, connections }]));
        const figures = await measureRounds(server, entries, { seconds, rounds: 1 });
        for (const [side, ofSide] of figures) measured.get(name)?.[side].push(...ofSide);
      }
      for (const [side, { pid }] of running) kept[side].push(memory(pid));
    } finally {
      for (const gateway of running.values()) await gateway.stop();
    }
  }
  const [old, ours] = [median(kept.before), median(kept.now)];
  return [
    ...[...measured].map(([name, figures]) => told([name, ...compared(figures.before, figures.now)])),
    told(['memory after load', `${number(old)} MiB`, `${number(ours)} MiB`, (ours / old).toFixed(2), '']),
  ];
}

/** The median of the pairs' ratios: what disturbs a pair disturbs both. */
function compared(before: Figures[], now: Figures[]): string[] {
  const ofPairs = (ratio: (old: Figures, ours: Figures) => number) => median(before.flatMap((old, n) => {
    const ours = now[n];
    return ours ? [ratio(old, ours)] : [];
  })).toFixed(2);
  const cpu = ({ server, postgres }: Figures) => server + postgres;
  return [
    cell(medians(before)), cell(medians(now)), ofPairs((old, ours) => ours.rate / old.rate), ofPairs((old, ours) => cpu(old) / cpu(ours)),
  ];
}

function told(row: string[]): string[] {
  console.error(row.join('  '));
  return row;
}
