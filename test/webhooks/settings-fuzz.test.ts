// Settings of webhooks with anything in them: a start takes them, or names the place of each problem.
import { test } from 'tap';
import { readConfig } from '../../gateway/features/config.ts';
import { BootError } from '../../gateway/error.ts';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { JWT_SECRET, SERVICE_KEY } from '../harness/service.ts';
import { hook, hooksFile, ORDERS } from './receiver.ts';

const TEXTS = [
  '', ' ', 'orders', 'Orders', 'public.orders', 'public."orders"', '"', 'a.b.c', '.', 'pg_catalog.pg_class', 'service.jobs', 'name', 'nope',
  'INSERT', 'insert', 'https://example.org/a?b#c', 'http://[::1', 'HTTPS://EXAMPLE.ORG', 'file:///etc/passwd', 'whsec_', 'whsec_YQ==', '\0',
  'a\0b', '\ud83d', '😀', 'ü', 'a\r\nb: c', '%', '$1', '\'; drop table orders; --', '{}', 'null', 'x'.repeat(300),
  '__proto__', 'constructor',
];
const KEYS = [
  'id', 'url', 'secret', 'headers', 'events', 'table', 'enabled', 'columns', 'excludeColumns', 'allowPrivateNetworks', 'maxAttempts',
  'ordered', 'nope', '__proto__',
];

test('whatever the settings say, a start takes them or names what is wrong', async t => {
  console.log(`# RANDOM_SEED=${seed}`);
  const pick = generator(seed);
  const of = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const others = [null, true, false, 0, -1, 1.5, 3, 1e9, { env: 'SET' }, { env: 'UNSET' }, { env: '' }];
  const scalar = (): unknown => pick(3) > 0 ? of(TEXTS) : of(others);
  const value = (): unknown => [scalar, scalar, () => Array.from({ length: pick(4) }, scalar),
    () => Object.fromEntries(Array.from({ length: pick(3) }, () => [of(TEXTS).replaceAll(/[\r\n]/g, ' '), scalar()]))][pick(4)]?.();
  const { sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(ORDERS).simple();
  let taken = 0;
  for (let n = 0; n < runs(800); n++) {
    const webhooks = Array.from({ length: pick(3) + 1 }, (_, i) => {
      const changes = Array.from({ length: pick(3) }, () => [of(KEYS), value()] as const);
      return Object.defineProperties(hook('https://example.org', { id: `hook ${i}` }), Object.fromEntries(
        changes.map(([key, value]) => [key, { value, enumerable: true, configurable: true }])));
    });
    const given = JSON.stringify(webhooks);
    const lines: string[] = [];
    try {
      const { webhooks: read } = readConfig({
        NODE_ENV: 'test', PORT: '0', JWT_SECRET, SERVICE_SERVICE_KEY: SERVICE_KEY, SET: 'orders', ...hooksFile(t, webhooks),
      });
      lines.push(...read.problems.map(({ path }) => path));
      const told = JSON.stringify(read.webhooks.map(({ told }) => told));
      lines.push(...(await sql<{ path: string }[]>`select path from service_private.webhook_problems(${told}::text::jsonb)`)
        .map(({ path }) => path));
      if (lines.length > 0) continue;
      taken += 1;
      const left = await sql`select from service_private.use_webhooks(${told}::text::jsonb)`;
      if (left.length > 0) t.fail(given);
    } catch (error) {
      if (!(error instanceof BootError)) t.fail(`${given}: ${String(error)}`);
      lines.push(...(error as Error).message.split('\n').map(line => line.replace('rowgate.json: ', '')));
    } finally {
      for (const line of lines) if (!/^webhooks\[\d\]/.test(line)) t.fail(`${given}: ${line}`);
    }
  }
  t.ok(taken > 0, `${taken} were taken`);
});
