import { test } from 'tap';
import { createService } from '../harness/service.ts';

const TABLES = [
  'account_hooks', 'api_keys', 'mfa_challenges', 'mfa_factors', 'one_time_tokens', 'recovery_codes', 'refresh_tokens', 'sessions',
  'user_identities', 'users',
];

type Body = { status: string; details?: { authSchema?: string[] } };

test('health looks at the tables of accounts: each of their columns', async t => {
  const { request, sql, address } = await createService(t, { template: 'served' });
  const health = async () => (await request('/health')).body as Body;
  t.equal((await health()).status, 'ok');
  const columns = await sql<{ name: string }[]>`
    select c.relname || '.' || a.attname as name
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'service'::regnamespace and c.relname = any (${TABLES}) and a.attnum > 0 and not a.attisdropped`;
  t.ok(columns.length > 80, `${columns.length} columns`);
  for (const { name } of columns) {
    const [table = '', column = ''] = name.split('.');
    await sql`alter table ${sql(`service.${table}`)} rename column ${sql(column)} to other`;
    t.same((await health()).details, { authSchema: [`service.${name} is missing`] }, name);
    await sql`alter table ${sql(`service.${table}`)} rename column other to ${sql(column)}`;
  }
  await sql`alter table service.sessions rename to others`;
  await sql`alter table service.refresh_tokens alter column issued_at type text`;
  await sql`alter table service.recovery_codes add column further text`;
  t.same((await health()).details, { authSchema: [
    'service.refresh_tokens.issued_at is of type text, not timestamp(3) with time zone', 'service.sessions is missing',
  ] });
  const response = await fetch(`${address}/health`);
  t.equal(response.status, 503);
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.equal((await fetch(`${address}/health`, { method: 'HEAD' })).status, 503);
  t.equal((await fetch(`${address}/livez`)).status, 200);
});

test('without accounts their tables do not count', async t => {
  const { request, sql } = await createService(t, { template: 'served', env: { SERVICE_AUTH: 'off' } });
  await sql`alter table service.sessions rename to others`;
  t.equal((await request('/health')).status, 200);
});
