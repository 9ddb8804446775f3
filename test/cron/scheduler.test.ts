// When gateways run a job, against a database whose clock the test sets.
import { test } from 'tap';
import { until } from '../harness/until.ts';
import { cronDatabase, jobOf, logsOf, openGateway, POOLED, slotsOf, testPresence, type Run } from './cron.ts';

test('two gateways on one database run each slot once', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:59:58Z');
  const runs: string[] = [];
  const jobs = Array.from({ length: 5 }, (_, n) => jobOf(({ jobId, scheduledAt, manual }) => {
    runs.push(`${jobId} ${scheduledAt} ${manual}`);
    return Promise.resolve({ n });
  }, { id: `job ${n}` }));
  openGateway(t, sql, { jobs });
  openGateway(t, sql, { jobs });
  await until('all jobs ran', () => runs.length === 5);
  await at('2026-03-01T03:00:59Z'); // which the two see at their next look, and a third at once
  openGateway(t, sql, { jobs });
  await until('all jobs ran again', () => runs.length === 10);
  t.same(runs.sort(), jobs.flatMap(({ id }) => ['03:00', '03:01'].map(minute => `${id} 2026-03-01T${minute}:00.000Z false`)));
  const log = await until('the run is in the log', async () => (await logsOf(sql, 'job 3'))[1]);
  t.match(log, { jobId: 'job 3', success: true, result: { n: 3 }, logs: [], manual: false });
  t.same(await slotsOf(sql, 'job 3'), ['2026-03-01T03:00:00.000Z', '2026-03-01T03:01:00.000Z']);
});

test('a gateway whose timer is early asks again, and does not run', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:59:59Z');
  const verdicts: string[] = [];
  let ran = 0;
  openGateway(t, sql, {
    jobs: [jobOf(() => { ran += 1; return Promise.resolve(); })],
    // As a gateway would see it whose clock goes faster.
    through: store => ({
      ...store,
      look: async unplanned => { const { now, slots } = await store.look(unplanned); return { now: now + 900, slots }; },
      begin: async (...given) => { const decision = await store.begin(...given); verdicts.push(decision.verdict); return decision; },
    }),
  });
  await until('the slot was run', () => ran === 1);
  t.equal(verdicts[0], 'early');
  t.equal(verdicts.at(-1), 'run');
  t.same(await slotsOf(sql), ['2026-03-01T03:00:00.000Z']);
});

test('a clock that is set back runs no slot twice', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:59:59Z');
  const runs: string[] = [];
  const job = jobOf(({ scheduledAt }) => { runs.push(scheduledAt); return Promise.resolve(); });
  const first = openGateway(t, sql, { jobs: [job] });
  await until('the slot was run', () => runs.length === 1);
  await first.close();
  await at('2026-03-01T02:59:59Z');
  let looks = 0;
  openGateway(t, sql, {
    jobs: [job], through: store => ({ ...store, look: unplanned => { looks += 1; return store.look(unplanned); } }),
  });
  await until('the slot is over, and the next one is looked for', () => looks >= 3);
  t.same(runs, ['2026-03-01T03:00:00.000Z']);
});

test('a clock that is set while the gateway waits is followed', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T01:00:30Z');
  const runs: string[] = [];
  const job = jobOf(({ scheduledAt }) => { runs.push(scheduledAt.slice(11, 16)); }, { schedule: '0,30 * * * *' });
  openGateway(t, sql, { jobs: [job], longest: 10 });
  await at('2026-03-01T01:59:59.900Z');
  await until('the slot was run', () => runs.length === 1);
  await at('2026-03-01T01:29:59.900Z');
  await until('an earlier one was run', () => runs.length === 2);
  await at('2026-03-01T01:59:59.900Z');
  const isOver = async () => (await sql`select where service_private.cron_now() > '2026-03-01T02:00:00Z'`).length === 1;
  await until('the first one is over', isOver);
  await at('2026-03-01T02:29:59.900Z');
  await until('the next one was run', () => runs.length === 3);
  t.same(runs, ['02:00', '01:30', '02:30']);
});

test('a pause holds at every gateway', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:58:30Z');
  const runs: string[] = [];
  const jobs = [jobOf(({ scheduledAt }) => { runs.push(scheduledAt); })];
  await sql`select service_private.define_cron_jobs(${JSON.stringify(jobs)}::text::jsonb, null)`;
  const verdicts: string[] = [];
  for (let n = 0; n < 2; n++) openGateway(t, sql, {
    jobs, longest: 10, through: store => ({
      ...store,
      begin: async (...given) => { const decision = await store.begin(...given); verdicts.push(decision.verdict); return decision; },
    }),
  });
  await sql`select service.cron_enable('job', false)`;
  await at('2026-03-01T02:58:59.900Z');
  await until('both have asked', () => verdicts.length === 2);
  t.same([verdicts, runs, await slotsOf(sql)], [['disabled', 'disabled'], [], []]);
  await sql`select service.cron_enable('job', true)`;
  await at('2026-03-01T02:59:59.900Z');
  await until('the slot was run', () => runs.length === 1);
  t.same(runs, ['2026-03-01T03:00:00.000Z']);
});

test('a job whose state is locked holds up no other', async t => {
  const { sql, at } = await cronDatabase(t);
  await sql`insert into service.cron_job_state (job_id) values ('locked')`;
  const session = await sql.reserve();
  await session`begin`;
  await session`update service.cron_job_state set enabled = false where job_id = 'locked'`;
  await at('2026-03-01T02:59:59.900Z');
  const runs: string[] = [];
  const jobs = ['locked', 'other'].map(id => jobOf(({ jobId }) => { runs.push(jobId); }, { id }));
  openGateway(t, sql, { jobs });
  await until('the other one ran', () => runs.length === 1);
  t.same(runs, ['other']);
  await session`rollback`;
  session.release();
  await until('the locked one ran', () => runs.length === 2);
  t.same(await slotsOf(sql, 'locked'), ['2026-03-01T03:00:00.000Z']);
});

test('one gateway an hour deletes old logs', async t => {
  const { sql, at } = await cronDatabase(t);
  const stores = Array.from({ length: 3 }, () => openGateway(t, sql, { jobs: [], schedules: false }).store);
  const claims = async () => (await Promise.all(stores.map(({ claimHour }) => claimHour()))).filter(claimed => claimed).length;
  await at('2026-03-01T02:10:00Z');
  t.same([await claims(), await claims()], [1, 0]);
  await at('2026-03-01T03:10:00Z');
  t.same([await claims(), await claims()], [1, 0]);
});

test('while a claim, a state or a lease cannot be read or written nothing is run', async t => {
  for (const table of ['cron_claims', 'cron_job_state']) {
    const { sql, at } = await cronDatabase(t);
    await at('2026-03-01T02:59:59.800Z');
    let [ran, failures] = [0, 0];
    await sql.unsafe(`
      create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'No.'; end $$;
      create trigger refuse before insert or update on service.${table} for each statement execute function public.refuse()`).simple();
    const { scheduler } = openGateway(t, sql, {
      jobs: [jobOf(() => { ran += 1; return Promise.resolve(); })],
      through: store => ({
        ...store,
        begin: (...given) => store.begin(...given).catch((error: unknown) => { failures += 1; throw error; }),
      }),
    });
    await until(`${table} is missed`, () => failures > 2);
    if (table === 'cron_job_state') t.same(await scheduler.trigger('job'), { refused: 'unavailable' }, 'nor by hand');
    t.equal(ran, 0, table);
    await sql.unsafe(`drop trigger refuse on service.${table}`);
    await until('the slot is run as soon as it can be', () => ran === 1);
    t.same(await slotsOf(sql), ['2026-03-01T03:00:00.000Z']);
  }
});

test('a gateway without a session of the database runs nothing until it has one', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:59:59.800Z');
  const presence = testPresence();
  presence.lose();
  let [ran, looks] = [0, 0];
  const { scheduler } = openGateway(t, sql, {
    jobs: [jobOf(() => { ran += 1; return Promise.resolve(); })], presence,
    through: store => ({ ...store, look: unplanned => { looks += 1; return store.look(unplanned); } }),
  });
  await until('the slot is due', () => looks > 4);
  t.same(await scheduler.trigger('job'), { refused: 'unavailable' });
  t.equal(ran, 0);
  presence.begin(POOLED);
  await until('the slot was run', () => ran === 1);
});

test('a slot that could not be begun within a minute is missed', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T02:59:59.500Z');
  const runs: string[] = [];
  let isAway = true;
  const log: Run = ({ jobId, scheduledAt }) => { runs.push(`${jobId} ${scheduledAt}`); return Promise.resolve(); };
  openGateway(t, sql, {
    jobs: [
      jobOf(log, { id: 'plain', schedule: '0 * * * *' }), jobOf(log, { id: 'kept', schedule: '0 * * * *', catchUpWindowSeconds: 600 }),
    ],
    through: store => ({
      ...store,
      begin: (...given) => isAway ? Promise.reject(new Error('away')) : store.begin(...given),
    }),
  });
  const isDue = async () => (await sql`select where service_private.cron_now() > '2026-03-01T03:00:00Z'`).length === 1;
  await until('the slot is due', isDue);
  await at('2026-03-01T03:02:00Z');
  isAway = false;
  await until('the one with a window was made up for', () => runs.length === 1);
  t.same(runs, ['kept 2026-03-01T03:00:00.000Z']);
  const made = await until('it is in the log', async () => (await logsOf(sql, 'kept'))[0]);
  t.match(made.logs, [/^Makes up for the slot 2026-03-01T03:00:00.000Z, 12\d s late\.$/]);
  t.same(await slotsOf(sql, 'plain'), []);
});

test('a start makes up for the last slot of the window, once across gateways', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T09:30:30Z');
  const runs: string[] = [];
  const run: Run = ({ jobId, scheduledAt, manual }, _, log) => {
    runs.push(`${jobId} ${scheduledAt} ${manual}`);
    log('working');
    return undefined;
  };
  const jobs = [
    jobOf(run, { id: 'hourly', schedule: '0 * * * *', catchUpWindowSeconds: 10_800 }),
    jobOf(run, { id: 'too late', schedule: '0 3 * * *', catchUpWindowSeconds: 3_600 }),
    jobOf(run, { id: 'without', schedule: '0 * * * *' }),
    jobOf(run, { id: 'paused', schedule: '0 * * * *', catchUpWindowSeconds: 10_800, enabled: false }),
  ];
  for (let n = 0; n < 3; n++) openGateway(t, sql, { jobs });
  const log = await until('it is in the log', async () => (await logsOf(sql, 'hourly'))[0]);
  t.match(log, { manual: false, success: true, logs: [/^Makes up for the slot 2026-03-01T09:00:00.000Z, 18\d\d s late\.$/, 'working'] });
  t.same(runs, ['hourly 2026-03-01T09:00:00.000Z false']);
  await until('no gateway made up for it later', async () => (await sql`select from service.cron_job_state`).length >= 2);
  t.equal(runs.length, 1);
});
