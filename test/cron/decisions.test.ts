// The functions of sql/cron, as gateways call them.
import { test } from 'tap';
import { cronDatabase, decide, GONE, logsOf, POOLED, slotsOf } from './cron.ts';

const SLOT = '2026-03-01T03:00:00.000Z';

test('a slot is begun once, not before it is due, and not while the job is paused', async t => {
  const { sql, at } = await cronDatabase(t);
  const verdict = async (run: Parameters<typeof decide>[2], job = {}) => (await decide(sql, job, run)).verdict;
  await at('2026-03-01T02:59:59Z');
  t.equal(await verdict({ slot: SLOT }), 'early');
  t.same(await slotsOf(sql), []);
  await at('2026-03-01T03:00:00Z');
  t.equal(await verdict({ slot: SLOT }, { enabled: false }), 'disabled', 'as it is defined');
  t.same(await slotsOf(sql), [], 'a paused job leaves its slot');
  const { id } = await decide(sql, {}, { slot: SLOT });
  t.equal(await verdict({ slot: SLOT, id }), 'run', 'the same run may ask again');
  t.equal(await verdict({ slot: SLOT, id, holder: '2-00000000-pooled' }), 'claimed', 'by the session that began it');
  t.equal(await verdict({ slot: SLOT }), 'claimed');
  t.same(await slotsOf(sql), [SLOT]);
  t.same(await logsOf(sql), []);
});

test('a run that would overlap another is skipped, and its slot is used up', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T03:00:00Z');
  t.equal((await decide(sql, {}, { slot: SLOT })).verdict, 'run');
  await at('2026-03-01T03:01:00Z');
  const { verdict, log } = await decide(sql, {}, { slot: '2026-03-01T03:01:00.000Z' });
  t.equal(verdict, 'executing');
  t.match(log, { jobId: 'job', success: true, result: { skipped: true, reason: 'already_executing' }, logs: [], manual: false });
  t.same(Object.keys(log ?? {}), ['jobId', 'startedAt', 'finishedAt', 'durationMs', 'success', 'result', 'logs', 'manual']);
  t.match((await decide(sql, {}, {})).log, { manual: true }, 'by hand, too');
  t.equal((await slotsOf(sql)).length, 2);
  t.match(await logsOf(sql), [{ manual: true }, { manual: false }], 'it is in the log');
  const [state] = await sql`select total_runs::int, total_failures::int from service.cron_job_state`;
  t.same(state, { total_runs: 0, total_failures: 0 }, 'and is no run');
});

test('the end of a run frees its lease and is counted', async t => {
  const { sql, at } = await cronDatabase(t);
  const end = async (id: string, outcome: object) => (await sql<{ log: object | null }[]>`
    select service_private.end_cron_run('job', ${id}, ${JSON.stringify(outcome)}::text::jsonb) as log`)[0]?.log;
  await at('2026-03-01T03:00:00Z');
  const first = await decide(sql, {}, { slot: SLOT });
  t.match(await end(first.id, { success: true, result: { n: null, big: 1 }, logs: ['a', 'b'] }),
    { jobId: 'job', success: true, result: { n: null, big: 1 }, logs: ['a', 'b'], manual: false });
  t.equal(await end(first.id, { success: true, logs: [] }), null, 'only once');
  const second = await decide(sql, {}, {});
  t.equal(second.verdict, 'run', 'by hand without a slot');
  t.notOk('result' in (await end(second.id, { success: false, error: 'It broke.', logs: [] }) ?? {}));
  const [row] = await sql`select service_private.cron_job_records('[{"id": "job", "name": "A", "schedule": "0 3 * * *", "timezone": "UTC",
    "enabled": true}]') as records`;
  t.match(row?.['records'], [{
    id: 'job', name: 'A', schedule: '0 3 * * *', timezone: 'UTC', enabled: true, state: 'idle', nextRunAt: '2026-03-02T03:00:00.000Z',
    lastError: 'It broke.', totalRuns: 2, totalFailures: 1,
  }]);
});

test('a lease ends with the session of its gateway, and its run has failed', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T03:00:00Z');
  await decide(sql, {}, { slot: SLOT, holder: GONE });
  t.equal((await decide(sql, {}, {})).verdict, 'run', 'free at once');
  t.match(await logsOf(sql), [{ success: false, error: /session/, manual: false }]);
  await decide(sql, { id: 'other' }, { slot: SLOT, holder: GONE });
  await sql`select service_private.end_lost_cron_runs()`;
  t.match(await logsOf(sql, 'other'), [{ success: false, error: /session/ }], 'without another run, too');
  t.equal((await logsOf(sql)).length, 1, 'the other lease stands');
});

test('where presence cannot be known a time ends the lease', async t => {
  const { sql, at } = await cronDatabase(t);
  for (const [timeoutSeconds, held, over] of [[60, '03:01:29', '03:01:31'], [null, '03:59:59', '04:00:01']] as const) {
    await sql`delete from service.cron_job_state`;
    await sql`delete from service.cron_claims`;
    await at('2026-03-01T03:00:00Z');
    await decide(sql, { timeoutSeconds }, { slot: SLOT, holder: POOLED });
    await at(`2026-03-01T${held}Z`);
    t.equal((await decide(sql, {}, {})).verdict, 'executing', held);
    await at(`2026-03-01T${over}Z`);
    t.equal((await decide(sql, {}, {})).verdict, 'run', over);
    t.match((await logsOf(sql)).find(({ success }) => !success), { error: /did not say in time/ });
    await sql`delete from service.cron_logs`;
  }
});

test('the last slot of a window', async t => {
  const { sql } = await cronDatabase(t);
  const latest = async (schedule: string, since: string, until: string) => (await sql<{ slot: Date | null }[]>`
    select service_private.latest_cron_slot(${schedule}, 'UTC', ${since}, ${until}) as slot`)[0]?.slot?.toISOString();
  t.equal(await latest('* * * * *', '2026-03-01T00:00Z', '2026-03-08T00:00:30Z'), '2026-03-08T00:00:00.000Z');
  t.equal(await latest('* 0-11 * * *', '2026-02-01T00:00Z', '2026-03-07T23:59Z'), '2026-03-07T11:59:00.000Z');
  t.equal(await latest('0 3 * * *', '2026-03-01T02:00Z', '2026-03-01T03:00Z'), SLOT, 'the end of the window belongs to it');
  t.equal(await latest('0 3 * * *', '2026-03-01T03:00Z', '2026-03-02T02:59Z'), undefined, 'its beginning does not');
  t.equal(await latest('0 0 31 2 *', '2020-03-01T03:00Z', '2026-03-02T02:59Z'), undefined);
  t.equal(await latest('0 0 29 2 *', '2019-03-01T03:00Z', '2026-03-02T02:59Z'), '2024-02-29T00:00:00.000Z');
});

test('the last slot of a window is the last of all its slots', async t => {
  const { sql } = await cronDatabase(t);
  const rows = await sql<{ schedule: string; found: Date | null; counted: Date | null }[]>`
    select c.schedule, service_private.latest_cron_slot(c.schedule, c.zone, c.since, c.until) as found, (
      with recursive slot as (
        select service.cron_next(c.schedule, c.zone, c.since) as at
        union all
        select service.cron_next(c.schedule, c.zone, s.at) from slot s where s.at <= c.until)
      select max(s.at) from slot s where s.at <= c.until) as counted
    from (
      select schedule, zone, until - make_interval(mins => (random() * 600)::int) as since, until
      from unnest('{"*/7 * * * *","30 2 * * *","5,50 1-3 * * *","* 2 * * 0","17 */5 1 * 6"}'::text[]) schedule
      cross join unnest('{UTC,Europe/Berlin,Australia/Lord_Howe}'::text[]) zone
      cross join lateral (
        select timestamptz '2026-03-29T00:00Z' + random() * interval '3 hours' + n * interval '18 days' as until
        from generate_series(1, 8) n) u) c`;
  t.same(rows.filter(({ found, counted }) => found?.getTime() !== counted?.getTime()), []);
  t.ok(rows.some(({ counted }) => counted !== null));
});

test('old claims go but for the newest of a job, those ahead of the clock are released', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-10T00:00:00Z');
  await sql`insert into service.cron_claims (job_id, slot) values
    ('job', '2026-03-01T00:00Z'), ('job', '2026-03-02T00:00Z'), ('rare', '2025-01-01T00:00Z'), ('rare', '2024-01-01T00:00Z'),
    ('often', '2026-03-02T00:00Z'), ('often', '2026-03-03T00:01Z'), ('often', '2026-03-10T00:01Z'), ('often', '2026-03-10T01:00Z')`;
  await sql`select service_private.sweep_cron_claims()`;
  t.same(await slotsOf(sql), ['2026-03-02T00:00:00.000Z']);
  t.same(await slotsOf(sql, 'rare'), ['2025-01-01T00:00:00.000Z']);
  t.same(await slotsOf(sql, 'often'), ['2026-03-03T00:01:00.000Z', '2026-03-10T00:01:00.000Z']);
});

test('logs are kept for 30 days, and the newest 50 of a job for good', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-31T00:00:00Z');
  await sql`insert into service.cron_job_state (job_id) values ('old'), ('both'), ('new')`;
  await sql`
    insert into service.cron_logs (job_id, started_at, finished_at, duration_ms, success, manual)
    select j.id, j.since + n * interval '1 hour', j.since, 0, true, false
    from (values ('old', timestamptz '2026-01-01Z', 120), ('both', '2026-02-25Z', 200), ('new', '2026-03-20Z', 200)) j (id, since, count)
    cross join lateral generate_series(1, j.count) n`;
  const sweep = async (most: number) =>
    (await sql<{ swept: number }[]>`select service_private.sweep_cron_logs(${most}) as swept`)[0]?.swept;
  t.equal(await sweep(30), 30, 'in batches');
  while (await sweep(30) !== 0);
  t.same([...await sql`select job_id, count(*)::int, min(started_at) as since from service.cron_logs group by 1 order by 1`], [
    { job_id: 'both', count: 104, since: new Date('2026-03-01T01:00Z') },
    { job_id: 'new', count: 200, since: new Date('2026-03-20T01:00Z') },
    { job_id: 'old', count: 50, since: new Date('2026-01-03T23:00Z') },
  ]);
});

test('service.cron_jobs shows the jobs of every gateway that is there', async t => {
  const { sql, at } = await cronDatabase(t);
  const define = (jobs: object[], holder: string | null) =>
    sql`select service_private.define_cron_jobs(${JSON.stringify(jobs)}::text::jsonb, ${holder})`;
  const ids = async () => (await sql<{ id: string }[]>`select id from service.cron_jobs`).map(({ id }) => id);
  const job = (id: string, more = {}) => ({ id, name: id, schedule: '0 3 * * *', timezone: 'UTC', enabled: true, ...more });
  await at('2026-03-01T00:00:00Z');
  await define([job('a'), job('gone')], GONE);
  await define([job('b'), job('never', { schedule: '0 0 31 2 *' })], POOLED);
  t.same(await ids(), ['b', 'never'], 'those of a gateway that ended go');
  await define([job('a', { enabled: false, description: 'why' })], null);
  t.same(await ids(), ['a', 'b', 'never'], 'those of one that may be there stay');
  await sql`update service.cron_definitions set defined_at = now() - interval '3 hours' where job_id = 'b'`;
  await define([job('a', { enabled: false, description: 'why' }), job('c'), job('never', { schedule: '0 0 31 2 *' })], null);
  await decide(sql, { id: 'c' }, {});
  const never = { last_run_at: null, next_run_at: null, last_error: null, total_runs: 0 };
  t.same([...await sql`select id, description, enabled, state, last_run_at, next_run_at, last_error, total_runs::int
    from service.cron_jobs`], [
    { id: 'a', description: 'why', enabled: false, state: 'disabled', ...never },
    { id: 'c', description: null, enabled: true, state: 'running', ...never, next_run_at: new Date('2026-03-01T03:00Z') },
    {
      id: 'never', description: null, enabled: true, state: 'error', ...never,
      last_error: 'The schedule does not come due within four years.',
    },
  ]);
});

test('service.cron_enable pauses and goes on', async t => {
  const { sql, at } = await cronDatabase(t);
  await at('2026-03-01T03:00:30Z');
  await sql`select service_private.define_cron_jobs('[{"id": "job", "name": "A", "schedule": "0 3 * * *", "timezone": "UTC",
    "enabled": true}]', null)`;
  const enable = async (id: string, enabled: boolean | null) =>
    (await sql<{ done: boolean }[]>`select service.cron_enable(${id}, ${enabled}) as done`)[0]?.done;
  const shown = async () => (await sql<{ enabled: boolean; state: string }[]>`select enabled, state from service.cron_jobs`)[0];
  t.equal(await enable('other', false), false);
  t.equal(await enable('job', false), true);
  t.same(await shown(), { enabled: false, state: 'disabled' });
  t.equal((await decide(sql, {}, { slot: SLOT })).verdict, 'disabled');
  t.equal(await enable('job', null), true);
  t.same(await shown(), { enabled: true, state: 'idle' });
  t.equal((await decide(sql, {}, { slot: SLOT, makesUp: true })).verdict, 'disabled', 'the slots of a pause are not made up for');
  t.equal((await decide(sql, {}, { slot: SLOT })).verdict, 'run');
  t.same((await sql`select updated_by = session_user as own from service.cron_job_state`)[0], { own: true });
  await enable('job', true);
  t.equal((await decide(sql, { enabled: false }, { slot: '2026-03-01T02:00:00.000Z' })).verdict, 'executing', 'and switches on');
});

test('callers of requests reach nothing of scheduled jobs', async t => {
  const { sql } = await cronDatabase(t);
  const names = ['cron_claims', 'cron_definitions', 'cron_job_state', 'cron_logs', 'cron_jobs'];
  for (const name of names) {
    const [row] = await sql`select has_table_privilege('service_user', ${`service.${name}`}, 'select, insert, update, delete') as may`;
    t.same(row, { may: false }, name);
  }
  const [row] = await sql<{ may: string[] }[]>`
    select array_agg(proname::text) as may from pg_proc
    where pronamespace in ('service'::regnamespace, 'service_private'::regnamespace) and proname like '%cron%'
      and has_function_privilege('service_user', oid, 'execute')`;
  t.equal(row?.may, null);
  const open = await sql`select relname from pg_class where relnamespace = 'service'::regnamespace and relname like 'cron%'
    and relkind = 'r' and not relrowsecurity`;
  t.same([...open], []);
});

test('gateways that begin at once with other jobs do not hinder each other', async t => {
  const { sql } = await cronDatabase(t);
  const define = (ids: string[]) => sql`select service_private.define_cron_jobs(${JSON.stringify(ids.map(id => ({
    id, name: id, schedule: '0 3 * * *', timezone: 'UTC', enabled: true,
  })))}::text::jsonb, ${GONE})`;
  const ids = Array.from({ length: 40 }, (_, n) => `job ${n}`);
  await Promise.all(Array.from({ length: 30 }, (_, n) => define(n % 2 === 0 ? ids : ids.slice(n).reverse())));
  await define(['last']);
  t.same((await sql`select id from service.cron_jobs`).map(({ id }) => id as string), ['last']);
});
