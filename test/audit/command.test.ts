import { test } from 'tap';
import { runCommand } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates

test('rowgate audit tells the worst first, with what mends it, and its exit code is for CI', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const audit = (...flags: string[]) => runCommand(t, ['audit', ...flags], { DATABASE_URL: url });
  t.match(await audit(), { code: 0, output: /^rowgate_test_\w+: nothing found \(\d+ checks, 0 tables, 0 policies\)\.\n$/ });
  await sql.unsafe(`create table "a\nb" (id int primary key, parent int references "a\nb")`).simple();
  const low = await audit();
  t.match(low, {
    code: 0,
    output: new RegExp(String.raw`^low {6}foreign-key-unindexed {2}public\.a\\nb, column parent\n {2}A foreign key without an index: .*\n`
      + String.raw` {2}Relations .*\n {4}create index on public\."a$`, 'm'),
  });
  t.equal((await audit('--fail-on=low')).code, 2);
  t.equal((await audit('--fail-on', 'medium')).code, 0);
  await sql.unsafe('grant select on "a\nb" to service_user');
  const critical = await audit();
  t.match(critical, { code: 2, output: /^critical rls-disabled [^]*^low {6}[^]*: 1 critical, 1 low \(/m });
  t.equal((await audit('--fail-on=none')).code, 0);
  t.notMatch(critical.output, new URL(url).password || 'never', 'no secret');
  const { code, output } = await audit('--json');
  t.equal(code, 2);
  t.match(JSON.parse(output), { findings: [
    { id: 'rls-disabled', severity: 'critical', fix: /^alter table public\."a\nb" enable row level security;/ },
    { id: 'foreign-key-unindexed' },
  ], diagnostics: { degraded: [] } });
});

test('checks that could not run are named, and fail', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql`alter function service.audit_views() set role = service_user`;
  const audit = (...flags: string[]) => runCommand(t, ['audit', ...flags], { DATABASE_URL: url });
  t.match(await audit(),
    { code: 2, output: /^view-bypasses-rls could not be looked for: permission denied for .*\n[^]*: nothing else found/m });
  t.equal((await audit('--fail-on=none')).code, 0);
});

test('rowgate audit describes its options and its errors', async t => {
  const { url } = await createDatabase(t);
  t.match(await runCommand(t, ['audit', '--help'], {}), { code: 0, output: /--json .*\n.*--fail-on … / });
  t.match(await runCommand(t, ['audit', '--fail-on=worst'], { DATABASE_URL: url }),
    { code: 1, output: '--fail-on must be one of critical, high, medium, low, info, none.\n' });
  t.match(await runCommand(t, ['audit'], { DATABASE_URL: url }),
    { code: 1, output: /^The database has not the schema of this version yet/ });
});
