/** How long a start takes, and what a gateway that does nothing holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { freePort } from '../gateway/process/free-port.ts';
import { emptyDatabase, ROOT } from './database.ts';
import type { Ask } from './load/load.ts';
import { median } from './measure.ts';
import { cpuTime, memory } from './processes.ts';
import { number, type Table } from './report.ts';
import { answers, launch, LIVENESS, start, stop } from './servers.ts';

/** Milliseconds from the start of its process to its first answer, milliseconds of CPU until then, MiB of memory. */
type Start = { startup: number; cpu: number; memory: number };

export async function idle(server: Embedded, url: string, { rounds }: { rounds: number }): Promise<Table> {
  const again = await repeated(rounds, () => onDatabase(url));
  const fresh = await repeated(rounds, async () => onDatabase(await emptyDatabase(server, 'bench_empty'), LIVENESS));
  const alone = await repeated(rounds, inEmptyFolder);
  return {
    header: ['start', 'first answer after', 'CPU time until then', 'memory'],
    rows: [
      ['on a database that is up to date', ...told(again)],
      ['on an empty database: migrations, roles', ...told(fresh)],
      ['`npm start` in an empty folder: a PostgreSQL cluster, migrations, the example store', `${number(alone.startup)} ms`, '', ''],
    ],
  };
}

async function onDatabase(url: string, first?: Ask): Promise<Start> {
  const gateway = await start('rowgate', url, first ? { first } : {});
  const figures = { startup: gateway.startup, cpu: cpuTime(gateway.pid) / 1000, memory: memory(gateway.pid) };
  await gateway.stop();
  return figures;
}

async function inEmptyFolder(): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-bench-'));
  const port = await freePort();
  const begun = performance.now();
  const child = launch(folder, [join(ROOT, 'gateway/main.ts')], { PORT: String(port) });
  try {
    await answers(child, `http://127.0.0.1:${port}`, {});
    return { startup: performance.now() - begun, cpu: NaN, memory: NaN }; // both would count PostgreSQL's processes
  } finally {
    await stop(child);
    rmSync(folder, { recursive: true });
  }
}

async function repeated(rounds: number, one: () => Promise<Start>): Promise<Start> {
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round++) starts.push(await one());
  const of = (key: keyof Start) => median(starts.map(figures => figures[key]));
  return { startup: of('startup'), cpu: of('cpu'), memory: of('memory') };
}

function told({ startup, cpu, memory: held }: Start): string[] {
  return [`${number(startup)} ms`, `${number(cpu)} ms`, `${number(held)} MiB`];
}
