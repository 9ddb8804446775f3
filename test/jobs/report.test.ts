import { test } from 'tap';
import { runCommand } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the template

test('rowgate jobs prints what runs, waits and has failed', async t => {
  const { sql, url } = await createDatabase(t, { template: 'served' });
  t.match(await runCommand(t, ['jobs'], { DATABASE_URL: url }), { code: 0, output: /^There are no jobs\.\n$/ });
  await sql`
    insert into service.jobs (task, status, queue, run_at, attempts, last_error, locked_by)
    values ('mail', 'pending', 'q', '2020-01-01', 1, 'no route', null), ('mail', 'pending', null, '2099-01-01', 0, null, null),
      ('mail', 'running', null, now(), 2, null, '7-0123abcd'), ('mail', 'succeeded', null, now(), 1, null, null),
      ('report', 'failed', null, now(), 3, E'gone\n for \\x1b[31m good', null)`;
  const { code, output } = await runCommand(t, ['jobs'], { DATABASE_URL: url });
  t.equal(code, 0);
  t.match(output, /^mail: 1 due since 2020-01-01\S*, 1 later, 1 running, 1 succeeded, 0 failed\nreport: .* 1 failed\n/);
  t.match(output, /\nRunning:\n {2}\S{36} {2}mail, attempt 2, by 7-0123abcd since /);
  t.match(output, /\nNext:\n {2}\S{36} {2}mail at 2020-01-01\S*, in the queue q, after: no route\n {2}\S{36} {2}mail at 2099/);
  t.match(output, /\nFailed for good .*:\n {2}\S{36} {2}report at .*, after 3 attempts: gone/);
  t.notMatch(output, /\x1b/, 'nothing that a job says reaches the terminal as it is');
  const report = JSON.parse((await runCommand(t, ['jobs', '--json'], { DATABASE_URL: url })).output);
  t.match(report, { tasks: [{ task: 'mail', due: 1, pending: 2 }, { task: 'report' }], failed: [{ task: 'report', attempts: 3 }] });
  t.same((await sql`select task, pending, due, running, succeeded, failed, last_error from service.job_overview order by task`)
    .map(row => Object.values(row).map(String)), [['mail', '2', '1', '1', '1', '0', 'no route'], ['report', '0', '0', '0', '0', '1',
    'gone\n for \u001b[31m good']]);
  await t.rejects(sql.begin(async transaction => {
    await transaction`set local role service_user`;
    await transaction`select from service.job_overview`;
  }), { code: '42501' });
});
