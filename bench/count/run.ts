/**
 * node bench/count/run.ts [rounds] [--write]: a count in the one statement that enters and reads, which forbids a parallel
 * plan, against a read-only transaction that enters first and then may count in parallel.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { migrate } from '../../gateway/start/migrate.ts';
import { readSchema } from '../../gateway/start/schema-files.ts';
import { connection, emptyDatabase, startServer } from '../database.ts';
import { median } from '../measure.ts';
import { cpuTime } from '../processes.ts';
import { circumstances, markdown, number } from '../report.ts';

const [rounds = '9'] = process.argv.slice(2).filter(argument => !argument.startsWith('--'));
const SIZES = [10_000, 100_000, 300_000, 1_000_000, 3_000_000];
const CLIENTS = 8;
const CALLER = 'bench';

/** The columns that are read of a table, where the gate (or true) holds. */
const READS: Record<string, (table: string, ok: string) => string> = {
  'count': (table, ok) => `select count(*)::text as body from ${table} where ${ok}`,
  'count, filtered': (table, ok) => `select count(*)::text as body from ${table} where ${ok} and status = 'live'`,
  'sum by group': (table, ok) => `select json_agg(d)::text as body
    from (select status, count(*), sum(price) from ${table} where ${ok} group by status order by status) d`,
};
type Read = (ok: string) => string;
const VARIANTS = ['one statement', 'transaction', 'transaction, parallel'] as const;
type Variant = typeof VARIANTS[number];

const server = await startServer(false);
try {
  const url = await emptyDatabase(server, 'bench_count');
  await fill(url);
  const connections = Array.from({ length: CLIENTS },
    () => postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined, connection: { role: 'service_user', jit: 'off' } }));
  const version = await connections[0]?.unsafe<{ server_version: string }[]>('show server_version');
  const about = circumstances(version?.[0]?.server_version ?? '', { seconds: 0, rounds: Number(rounds) }).replace(/, \w+, (\d+ rounds).*$/,
    ', $1.');
  const rows: string[][] = [];
  for (const size of SIZES) {
    for (const [name, read] of Object.entries(READS)) rows.push(await measured(connections, size, name, ok => read(`posts_${size}`, ok)));
  }
  await Promise.all(connections.map(sql => sql.end()));
  const header = [
    'rows', 'read', ...VARIANTS.map(variant => `${variant}: ms (CPU)`), 'workers',
    ...VARIANTS.map(variant => `${variant}: reads/s of ${CLIENTS} clients`),
  ];
  const text = `${about}\n\n${markdown({ header, rows })}`;
  console.log(text);
  if (process.argv.includes('--write')) intoReadme(text);
} finally {
  await server.stop();
}

async function fill(url: string): Promise<void> {
  const sql = connection(url);
  await migrate(sql, readSchema());
  for (const size of SIZES) {
    await sql.unsafe(`
      create table posts_${size} (id integer generated always as identity primary key, title text not null,
        status text not null, price numeric(10, 2) not null);
      insert into posts_${size} (title, status, price)
      select 'Post number ' || n, (array['draft', 'live', 'live', 'archived'])[1 + n % 4], (n * 37::bigint % 10000) / 100.0
      from generate_series(1, ${size}) n;
      alter table posts_${size} enable row level security;
      create policy all_rows on posts_${size} using ((select service.uid()) is not null);
      grant select on posts_${size} to service_user;`).simple();
  }
  await sql`vacuum analyze`;
  await sql.end();
}

async function measured(connections: postgres.Sql[], size: number, name: string, read: Read): Promise<string[]> {
  const [first] = connections as [postgres.Sql];
  const alone = new Map<Variant, { wall: number; cpu: number }[]>(VARIANTS.map(variant => [variant, []]));
  const together = new Map<Variant, number[]>(VARIANTS.map(variant => [variant, []]));
  for (let round = 0; round <= Number(rounds); round++) {
    for (const variant of VARIANTS) {
      const [begun, before] = [performance.now(), cpuTime(server.pid)];
      await run(first, read, variant);
      const figures = { wall: performance.now() - begun, cpu: (cpuTime(server.pid) - before) / 1000 };
      if (round > 0) alone.get(variant)?.push(figures);
    }
  }
  const each = Math.max(1, Math.round(200_000 / size)); // so many by each client, at once
  for (const variant of [...VARIANTS, ...VARIANTS, ...VARIANTS]) {
    const begun = performance.now();
    await Promise.all(connections.map(async sql => { for (let n = 0; n < each; n++) await run(sql, read, variant); }));
    together.get(variant)?.push(CLIENTS * each / (performance.now() - begun) * 1000);
  }
  const row = [
    String(size), name,
    ...[...alone.values()].map(figures =>
      `${number(median(figures.map(({ wall }) => wall)))} (${number(figures.reduce((sum, { cpu }) => sum + cpu, 0) / figures.length)})`),
    await workers(first, read),
    ...[...together.values()].map(rates => number(median(rates))),
  ];
  console.error(row.join('  '));
  return row;
}

function gated(read: Read): string {
  return `select r.body from (select service.enter($1) as ok offset 0) ctx cross join lateral (${read('ctx.ok')}) r`;
}

async function run(sql: postgres.Sql, read: Read, variant: Variant): Promise<void> {
  if (variant === 'one statement') await sql.unsafe(gated(read), [CALLER], { prepare: true });
  else await sql.begin('read only', async transaction => {
    await transaction.unsafe(`select service.enter($1)${variant === 'transaction'
      ? `, set_config('max_parallel_workers_per_gather', '0', true)`
      : ''}`, [CALLER], { prepare: true });
    await transaction.unsafe(read('true'), [], { prepare: true });
  });
}

/** How many processes the parallel plan asked for beside its own; none for a small table. */
async function workers(sql: postgres.Sql, read: Read): Promise<string> {
  const plan = await sql.begin('read only', async transaction => {
    await transaction.unsafe('select service.enter($1)', [CALLER]);
    return transaction.unsafe(`explain ${read('true')}`);
  });
  return /Workers Planned: (\d+)/.exec(plan.map(row => String(row['QUERY PLAN'])).join('\n'))?.[1] ?? '0';
}

function intoReadme(text: string): void {
  const readme = join(import.meta.dirname, 'README.md');
  const before = readFileSync(readme, 'utf8');
  writeFileSync(readme, before.replace(/(<!-- count -->\n)[^]*(<!-- \/count -->)/, `$1${text}\n$2`));
}
