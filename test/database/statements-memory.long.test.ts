import { existsSync, readFileSync } from 'node:fs';
import { test } from 'tap';
import { createStatements } from '../../gateway/catalog/statements.ts';
import type { ReadShape } from '../../gateway/grammar/read/shape.ts';
import { createFairExecutor } from '../../gateway/database/fair-executor.ts';
import { createService } from '../harness/service.ts';
import { textOf } from './lanes.ts';

/** The private memory of a process, in megabytes; undefined where it is not visible. */
function ownMemory(pid: string): number | undefined {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /^RssAnon:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

test('however many shapes are asked for, a connection keeps a bounded number of statements, in bounded memory', async t => {
  const { request, database } = await createService(t, { env: { DB_POOL_MAX: '5' } });
  const ofScan = async (expression: string): Promise<string> =>
    textOf(await database.lanes.scan.run({ text: `select (${expression})::text`, prepare: false, enterFirst: false }, []));
  const { body } = await request('/data/products?limit=1');
  const known = Object.keys(body.data[0]).filter(name => name !== 'id');
  const shapes = Array.from({ length: 1_200 }, (_, n) => ['id', ...known.filter((_, bit) => (n + 1) & (1 << bit))].join(','));
  t.equal(new Set(shapes).size, 1_200, 'as many shapes');
  const [first, seen] = [await ofScan('pg_backend_pid()'), { statements: 0, megabytes: 0 }];
  for (let at = 0; at < shapes.length; at += 100) {
    const part = shapes.slice(at, at + 100);
    for (let time = 1; time <= 2; time++) { // compiled, then prepared
      const answers = await Promise.all(part.map(shape => request(`/data/products?limit=1&fields=${shape}`)));
      t.same([...new Set(answers.map(({ status }) => status))], [200]);
    }
    seen.statements = Math.max(seen.statements, Number(await ofScan('select count(*) from pg_prepared_statements')));
    seen.megabytes = Math.max(seen.megabytes, ownMemory(await ofScan('pg_backend_pid()')) ?? 0);
  }
  t.ok(seen.statements > 800 && seen.statements <= 1_001, `${seen.statements} statements at most`);
  t.ok(seen.megabytes < 400, `${seen.megabytes.toFixed(0)} MB at most`);
  t.not(await ofScan('pg_backend_pid()'), first, 'the connection was replaced');
});

test('the gateway keeps a bounded number of compiled statements, those that were asked for last', async t => {
  const { sql } = await createService(t, { template: 'served', setup: `create table note (id int primary key, ${Array.from({ length: 12 },
    (_, n) => `c${n} int`).join(', ')}); alter table note enable row level security; create policy everyone on note using (true)` });
  const compiler = createFairExecutor(() => sql, { size: 1, deadline: 10_000 });
  const statements = createStatements({ compiler, bounds: { answer: 1e8, related: 1000, items: 1000 } },
    { restrictingRoles: [], collections: [] }, { max: 200, maxSize: 10_000_000 });
  const shapes = Array.from({ length: 220 }, (_, n) => ({
    op: 'get', path: ['note', 2],
    fields: ['id', ...Array.from({ length: 12 }, (_, bit) => `c${bit}`).filter((_, bit) => (n + 1) & (1 << bit))],
  }) satisfies ReadShape);
  for (const shape of shapes) await statements.find(shape, []);
  const isKept = (shape: ReadShape): boolean => !(statements.find(shape, []) instanceof Promise);
  t.equal(shapes.slice(-200).filter(isKept).length, 200, 'as many as it may are kept');
  const again = shapes.slice(0, 10).map(shape => statements.find(shape, []));
  t.ok(again.every(found => found instanceof Promise), 'those before are compiled again');
  for (const found of again) await found;
});
