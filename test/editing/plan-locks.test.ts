// A plan of many collections holds up neither who writes nor who reloads.
import { test } from 'tap';
import postgres from 'postgres';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates
import { projectOf } from '../collections/loaded.ts';
import { provision } from '../collections/declared.ts';

const id = { type: 'number', isId: 'increment' };
const many = (count: number, properties: object) =>
  Object.fromEntries(Array.from({ length: count },
    (_, n) => [`things${n}`, { properties: { id, ...properties }, securityRules: [{ access: 'public' }] }]));

test('writers, readers of the catalog and reloads go on while it plans', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  await sql`select service_private.define_collections(${projectOf(t, many(120, { text: { type: 'string' } }))}::text::jsonb)`;
  await provision(sql);
  const later = projectOf(t, many(120, { text: { type: 'string', validation: { required: true } }, more: { type: 'string' } }));
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const pid = backend?.pid ?? 0;
  const other = postgres(url, { max: 1, connection: { lock_timeout: 100 }, fetch_types: false });
  t.teardown(() => other.end());
  const over = new AbortController();
  const planning = sql<{ plan: { steps: unknown[]; changes: unknown[] } }[]>`select service_private.plan_project(${later}::text::jsonb)
    as plan`.then(rows => {
    over.abort();
    return rows[0]?.plan;
  });
  const held = new Set<string>();
  let beside = 0;
  while (!over.signal.aborted) {
    await other`insert into things7 (text) values ('a')`;
    await other`select service.reload()`;
    await other`select service_private.catalog_document()`;
    const locks = await other<{ name: string }[]>`
      select l.mode || ' ' || c.relname as name from pg_locks l
      join pg_class c on c.oid = l.relation and c.relnamespace not in ('service'::regnamespace, 'pg_catalog'::regnamespace)
      where l.pid = ${pid} and l.mode <> 'AccessShareLock'`;
    for (const { name } of locks) held.add(name);
    beside += 1;
  }
  const plan = await planning;
  t.ok(beside > 0, `${beside} rounds beside it`);
  t.same([...held], []);
  t.equal(plan?.changes.length, 240);
  t.same(await sql`select mode from pg_locks where pid = ${pid} and relation = 'service.collections'::regclass`, [],
    'nothing is held afterwards');
});
