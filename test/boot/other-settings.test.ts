import { test } from 'tap';
import { until } from '../harness/until.ts';
import { createDatabase } from '../harness/database.ts';
import { runCommand, startedWith, type Gateway } from './gateway.ts';

const FIRST = { storage: { policies: [{ path: '**', allow: 'authenticated' }] }, realtime: { channels: [{ match: 'log', ttl: '1h' }] } };
const REORDERED = {
  realtime: { channels: [{ ttl: 3_600_000, match: 'log' }] }, storage: { policies: [{ allow: 'authenticated', path: '**' }] },
};
const SECOND = { storage: { policies: [{ path: '**', allow: 'public' }] }, realtime: { channels: [{ match: 'log', ttl: '1h' }] } };
const OTHER = /with other settings/;

async function killed({ process: child, ended }: Gateway): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

test('a start says in one line that another gateway runs with other settings, and only then', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  const env = { DATABASE_URL: url };
  const first = await startedWith(t, FIRST, { ...env, SERVICE_WORKERS: '2', DB_POOL_MAX: '20' });
  t.notMatch(first.output(), OTHER, 'there is no other');
  const same = await startedWith(t, REORDERED, env);
  t.notMatch(same.output(), OTHER, 'equal settings are equal, whatever the order of their keys');
  await killed(same);
  t.match(await runCommand(t, ['settings'], env),
    { code: 0, output: /storage: .*"authenticated"[^]*\nNo gateway that runs now was started with others\.\n$/ });

  const second = await startedWith(t, SECOND, { ...env, REALTIME_CDC: 'off' });
  const told = second.output().split('\n').filter(line => OTHER.test(line));
  t.match(told, [
    /Another gateway of this database \((127\.0\.0\.1|local) since [\dTZ:.-]+\) runs with other settings of storage, realtime\. .*both/,
  ]);
  t.equal(told.length, 1);
  const json = await runCommand(t, ['settings', '--json'], env);
  t.match(JSON.parse(json.output), {
    settings: { hooks: {}, channels: [{ match: 'log', ttl: 3_600_000 }], storage: { policies: [{ allow: 'public' }] } },
    gateways: [{ differsIn: ['storage'] }],
  });
  t.match((await runCommand(t, ['settings'], env)).output,
    /storage: .*"public"[^]*started with others:\n {2}(127\.0\.0\.1|local), session \d+ since .*: storage\n$/);

  const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pid
    from service_private.other_gateways(service_private.standing_settings())`;
  await sql`select pg_terminate_backend(${pid})`;
  await until('the session is made anew', async () => (await sql<{ pid: number }[]>`select pid
    from service_private.other_gateways(service_private.standing_settings())`).some(other => other.pid !== pid));
  t.pass('a gateway whose session was lost is known again');

  await killed(first);
  await until('it is gone',
    async () => (await sql`select from service_private.other_gateways(service_private.standing_settings())`).length === 0);
  await killed(second);
  const after = await startedWith(t, FIRST, env);
  t.notMatch(after.output(), OTHER, 'gateways that have died are no others');
});
