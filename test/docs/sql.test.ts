import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService } from '../harness/service.ts';
import { provision } from '../schema/dump.ts';
import { examples, SQL_DOCUMENT, sqlDocument } from './sql.ts';

/** Rows that examples of the document name. */
const SETUP = `
  insert into service.users (uid, email) values ('ada', 'ada@example.org');
  update tags set color = '#112233' where id = 1;
  select service.enqueue('send-invoice', '{"order": 7}');
  select from service.job_claim(1, 'worker 1', '{send-invoice}')`;

test('docs/sql.md describes every function of schema service', async t => {
  const { sql } = await createDatabase(t);
  await provision(sql);
  t.equal(readFileSync(SQL_DOCUMENT, 'utf8'), await sqlDocument(sql), 'after a change: npm run schema');
  const [count] = await sql<{ functions: number }[]>`select count(*)::int as functions from pg_proc
    where pronamespace = 'service'::regnamespace`;
  t.equal(count?.functions, examples.size);
  t.ok(examples.size <= 120, 'few enough to read');
});

test('the example of each function runs', async t => {
  const { sql } = await createService(t, { template: 'served_store' });
  for (const [name, example] of examples) {
    const ran = sql.begin(async transaction => {
      await transaction.unsafe(SETUP).simple();
      await transaction.unsafe(example).simple();
      throw new Error('undone');
    });
    t.match(example, new RegExp(`service\\.${name}\\(`), name);
    await t.rejects(ran, { message: 'undone' }, `${name}: ${example}`);
  }
});
