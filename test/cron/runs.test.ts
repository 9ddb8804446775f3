// How runs end, and what is kept of them.
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { cronDatabase, decide, held, jobOf, logsOf, openGateway, slotsOf, type Run } from './cron.ts';

test('a job that takes too long is ended, and has failed', async t => {
  const { sql } = await cronDatabase(t);
  const { run } = held();
  const { scheduler } = openGateway(t, sql, { jobs: [jobOf(run, { timeoutSeconds: 0.05 })], schedules: false });
  const done = await scheduler.trigger('job');
  t.match(JSON.parse('log' in done ? done.log : '{}'), { success: false, error: 'The run did not end within 0.05 s.', manual: true });
  const lastError = 'The run did not end within 0.05 s.';
  t.match(JSON.parse('job' in done ? done.job : '{}'), { state: 'idle', lastError, totalFailures: 1 });
});

test('a handler that does not end when it is told to has failed all the same', async t => {
  const { sql } = await cronDatabase(t);
  const { scheduler } = openGateway(t, sql, {
    jobs: [jobOf(() => new Promise(() => undefined), { timeoutSeconds: 0.05 })], schedules: false,
  });
  const done = await scheduler.trigger('job');
  t.match(JSON.parse('log' in done ? done.log : '{}'), { success: false, error: /did not end/ });
});

test('a shutdown ends what runs: it has failed, and its slot stays claimed', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:59:59.800Z');
  const { begun, run } = held();
  const gateway = openGateway(t, sql, { jobs: [jobOf(run)] });
  await until('it runs', () => begun.length === 1);
  await gateway.close();
  t.match(await logsOf(sql), [{ success: false, error: 'The gateway was shut down before the run ended.' }]);
  t.same(await slotsOf(sql), ['2026-03-01T03:00:00.000Z']);
  t.same(await gateway.scheduler.trigger('job'), { refused: 'unavailable' }, 'nothing begins any more');
  t.equal((await decide(sql, {}, {})).verdict, 'run', 'the lease is free');
});

test('a shutdown records the failure of a handler that does not end when it is told to', async t => {
  const { sql } = await cronDatabase(t);
  let runs = 0;
  const { scheduler, close } = openGateway(t, sql, {
    jobs: [jobOf(() => { runs += 1; return new Promise(() => undefined); })], schedules: false,
  });
  void scheduler.trigger('job');
  await until('it runs', () => runs === 1);
  await close();
  t.match(await logsOf(sql), [{ success: false, error: 'The gateway was shut down before the run ended.' }]);
});

test('a shutdown waits for what ends in time', async t => {
  const { sql } = await cronDatabase(t);
  const { begun, run } = held();
  const { scheduler, close } = openGateway(t, sql, { jobs: [jobOf(run)], schedules: false });
  const done = scheduler.trigger('job');
  await until('it runs', () => begun.length === 1);
  const closed = close(20_000);
  begun[0]?.release('ready');
  await closed;
  t.match(JSON.parse((await done as { log: string }).log), { success: true, result: 'ready' });
});

test('a gateway that loses its session ends what it runs', async t => {
  const { sql } = await cronDatabase(t);
  const { begun, run } = held();
  const { scheduler, presence } = openGateway(t, sql, { jobs: [jobOf(run)], schedules: false });
  const done = scheduler.trigger('job');
  await until('it runs', () => begun.length === 1);
  presence.lose();
  t.equal(begun[0]?.signal.aborted, true);
  t.match(JSON.parse((await done as { log: string }).log), { success: false, error: /lost its database session/ });
});

test('a run whose lease another gateway took is no longer its own', async t => {
  const { sql } = await cronDatabase(t);
  const { begun, run } = held();
  const { scheduler } = openGateway(t, sql, { jobs: [jobOf(run)], schedules: false });
  const done = scheduler.trigger('job');
  await until('it runs', () => begun.length === 1);
  await sql`update service.cron_job_state set running_until = now() - interval '1 second'`;
  await sql`select service_private.end_lost_cron_runs()`;
  begun[0]?.release();
  t.same(await done, { refused: 'unavailable' });
  t.match(await logsOf(sql), [{ success: false, error: /did not say in time/ }], 'it is in the log once');
});

test('the end of a run is written down when the database is there again', async t => {
  const { sql } = await cronDatabase(t);
  let failures = 0;
  const { scheduler } = openGateway(t, sql, {
    jobs: [jobOf(() => Promise.resolve('done'))], schedules: false,
    through: store => ({ ...store, end: (...given) => failures++ < 3 ? Promise.reject(new Error('away')) : store.end(...given) }),
  });
  t.match(JSON.parse((await scheduler.trigger('job') as { log: string }).log), { success: true, result: 'done' });
});

test('a begin whose answer was lost leaves no lease behind', async t => {
  const { sql } = await cronDatabase(t);
  let isLost = true;
  const { scheduler } = openGateway(t, sql, {
    jobs: [jobOf(() => Promise.resolve('done'))], schedules: false,
    through: store => ({
      ...store,
      begin: async (...given) => {
        const decision = await store.begin(...given);
        if (isLost) throw new Error('the connection broke');
        return decision;
      },
    }),
  });
  t.same(await scheduler.trigger('job'), { refused: 'unavailable' });
  isLost = false;
  const done = await until('it can be run again', async () => {
    const triggered = await scheduler.trigger('job');
    return 'log' in triggered && triggered;
  });
  t.match(JSON.parse(done.log), { success: true });
  t.ok((await logsOf(sql)).some(({ error }) => error === 'The run could not be begun.'));
});

test('a slot whose begin was not answered is run once', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:59:59.800Z');
  let [ran, lost] = [0, 0];
  openGateway(t, sql, {
    jobs: [jobOf(() => { ran += 1; return Promise.resolve(); })],
    through: store => ({
      ...store,
      begin: async (...given) => {
        const decision = await store.begin(...given);
        if (lost++ < 2) throw new Error('the connection broke');
        return decision;
      },
    }),
  });
  const [log] = await until('it is in the log', async () => { const logs = await logsOf(sql); return logs.length > 0 && logs; });
  t.match(log, { success: true });
  t.equal(ran, 1);
});

test('what a run logs and returns has bounds', async t => {
  const { sql } = await cronDatabase(t);
  const results: Record<string, unknown> = {
    large: 'x'.repeat(100_001), odd: { 'a\0': ['\0', '\ud800', '😀', '\\u0000'] }, nothing: undefined, none: null, zero: 0,
  };
  const run: Run = ({ jobId }, _, log) => {
    for (let n = 0; n < 600; n++) log(n === 0 ? '\0\ud800'.padEnd(3_000, 'x') : `line ${n}`);
    return Promise.resolve(results[jobId]);
  };
  const { scheduler } = openGateway(t, sql, { jobs: Object.keys(results).map(id => jobOf(run, { id })), schedules: false });
  for (const id of Object.keys(results)) await scheduler.trigger(id);
  const log = async (id: string) => (await logsOf(sql, id))[0];
  t.same((await log('large'))?.result, { omitted: 'a result of 100003 characters' });
  t.same((await log('odd'))?.result, { 'a\ufffd': ['\ufffd', '\ufffd', '😀', '\\u0000'] });
  for (const id of ['nothing', 'none']) t.notOk('result' in (await log(id) ?? {}), id);
  t.equal((await log('zero'))?.result, 0);
  const { logs = [] } = await log('zero') ?? {};
  t.equal(logs.length, 501);
  t.equal(logs[0]?.length, 2_000);
  t.same(logs.slice(-2), ['line 499', '… and 100 more lines']);
});

test('a trigger by hand is refused while the job runs, and works while it is paused', async t => {
  const { sql } = await cronDatabase(t);
  const { begun, run } = held();
  const { scheduler } = openGateway(t, sql, { jobs: [jobOf(run, { enabled: false })], schedules: false });
  const other = openGateway(t, sql, { jobs: [jobOf(run)], schedules: false });
  const done = scheduler.trigger('job');
  await until('it runs', () => begun.length === 1);
  const refused = await other.scheduler.trigger('job');
  t.match(JSON.parse((refused as { executing: string }).executing), { success: true, result: { skipped: true }, manual: true });
  begun[0]?.release({ ok: true });
  t.match(JSON.parse((await done as { log: string }).log), { success: true, result: { ok: true }, manual: true });
  t.same(await other.scheduler.trigger('nothing'), { refused: 'unknown' });
});
