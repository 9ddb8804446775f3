import { test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { pooler, refused } from './poolers.ts';

const LOSES = new RegExp(String.raw`leads to a pooler that loses prepared statements between transactions: `
  + String.raw`use PgBouncer 1\.21 or later with max_prepared_statements above 0, or pool_mode = session\.$`, 'm');

for (const [name, options] of [
  ['PgBouncer 1.18', { version: '1.18' }],
  ['max_prepared_statements = 0', { settings: { max_prepared_statements: '0' } }],
] as const) {
  test(`${name} in transaction mode loses prepared statements, and the database stays empty`, async t => {
    const pooled = await pooler(t, options);
    if (!pooled) return;
    const { url, sql } = await createDatabase(t);
    refused(t, await runGateway(t, { DATABASE_URL: pooled(url) }), LOSES);
    t.equal((await sql`select from pg_namespace where nspname = 'service'`).length, 0);
    refused(t, await runGateway(t, { DATABASE_URL: pooled(url), DATABASE_DIRECT_URL: url }),
      /^The reader's connection leads to a pooler that loses/);
  });
}
