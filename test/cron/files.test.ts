// Scheduled jobs in files of crons/, in processes of their own.
import { test } from 'tap';
import { foldersIn, projectFolder, serveProject, type Served } from '../functions/serve.ts';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { logsOf, MOVABLE_CLOCK, setClock, slotsOf } from './cron.ts';

const cron = (handler: string, more = '') =>
  `import { defineCron } from 'rowgate/functions';
   export default defineCron({ schedule: '0 0 1 1 *', name: 'A job', ${more} handler: ${handler} });`;
const trigger = async ({ request }: Pick<Served, 'request'>, id: string) => request(`/admin/cron/${id}/trigger`, { method: 'POST' });
const heard = ({ log }: Pick<Served, 'log'>, line: RegExp) =>
  until(String(line), () => Promise.resolve(log.find(({ msg }) => line.test(msg))));

test('a run by hand answers with its result and its logs', async t => {
  const served = await serveProject(t, {
    'crons/report.ts': cron(`async ({ jobId, scheduledAt, manual, log, signal, rowgate }) => {
      log('counts', { a: 1 }, new Error('odd'), 5);
      console.info('to the service');
      await rowgate.dataAsAdmin.collection('tags').create({ name: 'of a run' });
      const [{ n }] = await rowgate.sql('select count(*)::int as n from tags where name = $1', { params: ['of a run'] });
      log('done');
      return { jobId, at: scheduledAt, manual, n, aborted: signal.aborted };
    }`, `description: 'why', timezone: 'Europe/Berlin', timeoutSeconds: Infinity, catchUpWindowSeconds: 60,`),
    'crons/nothing.js': cron('() => {}'),
    'crons/many.js': cron('({ log }) => { for (let n = 0; n < 100_000; n += 1) log("line " + n + "x".repeat(3000)); }'),
    'crons/long.js': cron('() => "x".repeat(2_000_000)'),
  });
  const { status, body } = await trigger(served, 'report');
  t.match({ status, ...body }, { status: 200, log: {
    jobId: 'report', success: true, manual: true, logs: ['counts {"a":1} Error: odd 5', 'done'],
    result: { jobId: 'report', at: /^\d{4}-.*Z$/, manual: true, n: 1, aborted: false },
  }, job: {
    id: 'report', name: 'A job', description: 'why', timezone: 'Europe/Berlin', schedule: '0 0 1 1 *', state: 'idle', totalRuns: 1,
  } });
  t.match(served.log.find(({ msg }) => msg === 'to the service'), { level: 'info', cron: 'report' });
  const nothing = (await trigger(served, 'nothing')).body.log;
  t.match(nothing, { success: true, logs: [] });
  t.notOk('result' in nothing);
  const { logs } = (await trigger(served, 'many')).body.log;
  t.match([logs.length, logs[0].length, logs[499], logs[500]], [501, 2000, /^line 499/, '… and 99500 more lines']);
  t.match((await trigger(served, 'long')).body.log, { success: true, result: { omitted: 'a result of 2000002 characters' } });
  t.match((await served.request('/admin/cron')).body.jobs.map(({ id }: { id: string }) => id), ['long', 'many', 'nothing', 'report']);
});

test('what a handler does wrong fails its run, with the lines that it wrote before', async t => {
  const served = await serveProject(t, {
    'crons/throws.ts': cron(`({ log }) => { log('before'); throw new Error('the author\\'s words'); }`),
    'crons/exits.ts': cron(`async ({ log }) => {
      log('before'); await new Promise(resolve => setTimeout(resolve, 50)); process.exit(2); }`),
    'crons/memory.ts': cron(`async () => { const kept = []; for (;;) { kept.push(Buffer.alloc(8_000_000, 1)); await null; } }`),
    'crons/value.ts': cron(`({ rowgate }) => rowgate.sql('select $1::text::integer', { params: ['a secret'] })`),
    'crons/statement.ts': cron(`({ rowgate }) => rowgate.sql('select secret_column from secret_table')`),
    'crons/raised.ts': cron(`({ rowgate }) => rowgate.sql("do $$ begin raise exception 'own words'; end $$")`),
    'crons/obeys.ts': cron(`({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('own'))))`,
      'timeoutSeconds: 0.3,'),
    'crons/spins.ts': cron('() => { for (;;); }', 'timeoutSeconds: 0.3,'),
    'crons/good.ts': cron('() => "good"'),
  });
  for (const [id, log] of Object.entries({
    throws: { error: 'the author\'s words', logs: ['before'] },
    exits: { error: /^A worker of jobs and schedules ended with exit code 2\.$/, logs: ['before'] },
    memory: { error: /^A worker of jobs and schedules took more than 256 MB of memory\.$/ },
    value: { error: 'A value could not be used (SQLSTATE 22P02).' },
    statement: { error: 'A statement has a fault, names what is not there, or uses what it may not (SQLSTATE 42P01).' },
    raised: { error: 'own words' },
    obeys: { error: 'The run did not end within 0.3 s.' },
    spins: { error: 'The run did not end within 0.3 s.' },
  })) {
    t.match((await trigger(served, id)).body.log, { success: false, ...log }, id);
    t.match((await trigger(served, 'good')).body.log, { success: true, result: 'good' }, `after ${id}`);
  }
  t.ok(await heard(served, /crons\/spins went on after its signal was aborted\. Another one takes its place/));
});

test('a run that goes on at the shutdown is told, and has failed', async t => {
  const served = await serveProject(t, {
    'crons/waits.ts': cron(`({ signal }) => new Promise((_, reject) => {
      console.log('waits'); signal.addEventListener('abort', () => { console.log('was told'); reject(signal.reason); }); })`),
  });
  trigger(served, 'waits').catch(() => undefined);
  await heard(served, /^waits$/);
  await served.close();
  t.ok(served.log.some(({ msg }) => msg === 'was told'));
  t.match(await logsOf(served.sql, 'waits'), [{ success: false, error: 'The gateway was shut down before the run ended.' }]);
});

test('what cannot be used is rejected with the reason, and the others are scheduled', async t => {
  const served = await serveProject(t, {
    'crons/good.ts': cron('() => 1'), 'crons/six.ts': cron('() => 1').replace('0 0 1 1 *', '* * * * * *'),
    'crons/zone.ts': cron('() => 1', `timezone: 'Mars/Olympus',`), 'crons/zero.ts': cron('() => 1', 'timeoutSeconds: 0,'),
    'crons/nan.ts': cron('() => 1', 'timeoutSeconds: NaN,'), 'crons/nameless.ts': cron('() => 1').replace(`name: 'A job',`, ''),
    'crons/enum.ts': `enum A { B }\n${cron('() => A.B')}`, 'crons/throws.ts': 'throw new Error("not today");',
    'crons/handler.ts': `export default { name: 'x', schedule: '* * * * *' };`, 'crons/service.x.ts': cron('() => 1'),
    'crons/key.ts': cron('() => 1', 'timeout: 5,'),
    'crons/hangs.ts': 'await new Promise(() => setTimeout(() => {}, 1e9)); export default 1;',
    'crons/other.mts': '', 'crons/lib/inner.ts': '', 'crons/index.ts': 'throw 1', 'crons/notes.md': '',
  });
  const { body } = await served.request('/admin/cron');
  t.match(body, { jobs: [{ id: 'good' }], skipped: 2 });
  t.equal(body.jobs.length, 1);
  t.match(body.rejected, [
    { id: 'enum', name: '', schedule: '', reason: /enum is not supported/ },
    { id: 'handler', reason: /default export is not defineCron/ },
    { id: 'hangs', reason: /more than 10 seconds/ },
    { id: 'key', name: 'A job', schedule: '0 0 1 1 *', reason: /^timeout: unknown key/ },
    { id: 'nameless', name: '', schedule: '0 0 1 1 *', reason: 'lacks name' },
    { id: 'nan', reason: /^timeoutSeconds: must be a number of seconds above 0/ },
    { id: 'service.x', reason: /ids that begin with service\./ },
    { id: 'six', name: 'A job', schedule: '* * * * * *', reason: /^schedule: A schedule has five fields/ },
    { id: 'throws', reason: 'not today' },
    { id: 'zero', reason: /^timeoutSeconds: must be a number of seconds above 0/ },
    { id: 'zone', reason: /^timezone: There is no time zone 'Mars\/Olympus'/ },
  ]);
  t.equal(body.rejected.length, 11);
  t.equal((await served.request('/admin/cron/zone')).status, 404);
});

test('the settings file changes fields of a file', async t => {
  const files = { 'crons/night.ts': cron('() => 1', `description: 'of the file',`), 'crons/day.ts': cron('() => 1') };
  const served = await serveProject(t, files, {
    crons: { night: { schedule: '30 2 * * *', timezone: 'Europe/Berlin', enabled: false, name: 'Of the settings' } },
  });
  t.match((await served.request('/admin/cron')).body.jobs, [
    { id: 'day', schedule: '0 0 1 1 *', timezone: 'UTC', state: 'idle' },
    {
      id: 'night', name: 'Of the settings', description: 'of the file', schedule: '30 2 * * *', timezone: 'Europe/Berlin',
      state: 'disabled',
    },
  ]);
});

test('an id twice, a change without its file, and a change that cannot be read stop the start', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`create schema app; grant usage on schema app to service_user;
    create function app.report(job jsonb) returns jsonb language sql as 'select job'`).simple();
  const start = (crons: object) => {
    const { folder } = projectFolder(t, { 'crons/night.ts': cron('() => 1'), 'rowgate.json': JSON.stringify({ crons }) });
    return openService(url, foldersIn(folder)).then(service => service.close());
  };
  const report = { function: 'app.report', name: 'Report', schedule: '0 0 1 1 *' };
  for (const [crons, message] of [
    [{ night: report }, /crons\.night of the settings file has a function, and there is \/.*night\.ts/],
    [{ other: { enabled: false } }, /crons\.other of the settings file has no function, and there is no file \/.*other\.ts/],
    [{ night: { schedule: '61 * * * *' } }, /crons\.night\.schedule of the settings file/],
  ] as const) await t.rejects(start(crons), { name: 'BootError', message });
  await t.resolves(start({ day: report, night: { enabled: false } }));
});

test('each slot is run once, by one of two gateways', async t => {
  const served = await serveProject(t, {
    'crons/minutely.ts': cron('({ scheduledAt, manual }) => ({ scheduledAt, manual })').replace('0 0 1 1 *', '* * * * *'),
  });
  const { sql } = served;
  await served.close();
  await sql.unsafe(MOVABLE_CLOCK).simple();
  await setClock(sql, '2026-03-01T02:59:57Z');
  const env = { ...foldersIn(served.folder), SERVICE_SOURCE: 'tables' };
  for (const { close } of await Promise.all([openService(served.url, env), openService(served.url, env)])) t.teardown(close);
  const runs = await until('a slot was run', async () => {
    const logs = await logsOf(sql, 'minutely');
    return logs.length > 0 && logs;
  }, { limit: 70_000 });
  const slots = runs.map(({ result }) => (result as { scheduledAt: string }).scheduledAt);
  t.match(runs[0], { success: true, manual: false, result: { manual: false } });
  t.same(await slotsOf(sql, 'minutely'), slots.toReversed(), 'each once');
});

test('a start without timers runs them by hand', async t => {
  const served = await serveProject(t, { 'crons/job.ts': cron('() => "by hand"') }, {}, { SERVICE_ROLE: 'api' });
  t.match((await trigger(served, 'job')).body.log, { success: true, result: 'by hand' });
});
