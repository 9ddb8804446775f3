/** Projects of many collections: how long it takes to define them, to make their tables, and to plan what is asked for next. */
import type { Sql } from 'postgres';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { migrate } from '../gateway/start/migrate.ts';
import { readSchema } from '../gateway/start/schema-files.ts';
import { connection, emptyDatabase } from './database.ts';
import { median, type Rounds } from './measure.ts';
import { number, type Table } from './report.ts';

const SIZES = [200, 500];
const STEPS = ['define', 'first provisioning', 'plan of unchanged collections', 'plan with one of them changed'] as const;

export async function provision(server: Embedded, _url: string, { rounds }: Rounds): Promise<Table> {
  const columns: string[][] = [];
  for (const size of SIZES) {
    const measured: number[][] = [];
    for (let round = 0; round < rounds; round++) measured.push(await once(await emptyDatabase(server, 'bench_provision'), size));
    columns.push(STEPS.map((_, step) => `${number(median(measured.map(times => times[step] ?? NaN)))} s`));
  }
  return {
    header: ['collections of ten properties', ...SIZES.map(String)],
    rows: STEPS.map((step, row) => [step, ...columns.map(column => column[row] ?? '')]),
  };
}

/** Seconds of each step. */
async function once(url: string, size: number): Promise<number[]> {
  const owner = connection(url);
  await migrate(owner, readSchema());
  await owner.end();
  const collections = Array.from({ length: size }, (_, n) => ({ definition: collection(n) }));
  const changed = collections.map(({ definition }, n) => ({
    definition: n > 0 ? definition : { ...definition, properties: { ...definition.properties, extra: { type: 'string' } } },
  }));
  const plan = (sql: Sql, planned: object[]) =>
    sql`select service_private.plan_project(${sql.json({ collections: planned } as never)}) as plan`;
  const times: number[] = [];
  for (const step of [
    (sql: Sql) => sql`select service_private.define_collections(${sql.json({ collections })})`,
    (sql: Sql) => sql`select count(*) from service.provision()`,
    (sql: Sql) => plan(sql, collections),
    (sql: Sql) => plan(sql, changed),
  ]) {
    const sql = connection(url); // a new one, as a command has: it holds no statements that were planned for an empty database
    const begun = performance.now();
    const [row] = await step(sql);
    times.push((performance.now() - begun) / 1000);
    await sql.end();
    const problems = (row?.['plan'] as { problems: unknown[] } | undefined)?.problems ?? [];
    if (problems.length > 0) throw new Error(JSON.stringify(problems[0]));
  }
  return times;
}

function collection(n: number) {
  return {
    slug: `item_${n}`,
    properties: {
      id: { type: 'number', isId: 'increment' },
      name: { type: 'string', validation: { required: true, min: 3, max: 120 } },
      code: { type: 'string', columnType: 'varchar', validation: { unique: true, max: 40 } },
      state: { type: 'string', enum: ['open', 'held', 'done'], defaultValue: 'open' },
      amount: { type: 'number', precision: 12, scale: 2, validation: { min: 0 } },
      active: { type: 'boolean', defaultValue: true },
      tags: { type: 'array', of: { type: 'string' } },
      address: { type: 'map', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      createdAt: { type: 'date', autoValue: 'on_create' },
      parent: { type: 'relation', relation: { kind: 'belongsTo', target: `item_${Math.max(0, n - 1)}` } },
    },
    indexes: [{ on: ['state', 'createdAt'] }],
    securityRules: [
      { operation: 'select', using: '(select service.uid()) = name or active' },
      { operations: ['insert', 'update', 'delete'], roles: ['editor'] },
    ],
  };
}
