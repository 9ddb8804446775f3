import type postgres from 'postgres';
import { test, type Test } from 'tap';
import { createService, type ServiceOptions } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';

const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create table app.done (n integer, by text, login text, uid text, roles text);
  grant select, insert on app.done to service_user;
  alter table app.done enable row level security;
  create policy seen on app.done for select using (true);
  create policy small on app.done for insert with check (n < 1000 and service.uid() = 'service' and service.roles() = 'admin');
  create function app.note(job jsonb) returns jsonb language sql as $$
    insert into app.done
    values ((job -> 'payload' ->> 'n')::integer, current_user, session_user, service.uid(), service.roles());
    select jsonb_build_object(
      'job', job - 'id' - 'createdAt', 'id', length(job ->> 'id'), 'at', (job ->> 'createdAt')::timestamptz <= now())
  $$;
  create function app.fails(job jsonb) returns jsonb language plpgsql as $$
  begin
    insert into app.done values (1);
    raise exception 'attempt % of % failed', job ->> 'attempt', job ->> 'maxAttempts';
  end $$;
  create function app.slow(job jsonb) returns jsonb language plpgsql as $$
  begin
    insert into app.done values ((job -> 'payload' ->> 'n')::integer);
    perform pg_sleep((job -> 'payload' ->> 'seconds')::float8);
    return null;
  end $$;
  create function app.deletes(job jsonb) returns jsonb language plpgsql as $$
  begin
    delete from service.jobs where id = (job ->> 'id')::uuid;
    return 'true';
  end $$;
  create function app.role(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform set_config('role', job -> 'payload' ->> 'role', false);
    perform set_config('search_path', 'nowhere', false);
    perform set_config('statement_timeout', '2s', false);
    return to_jsonb(current_user::text);
  end $$;
  create function app.reads(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform set_config('role', 'none', true);
    return (select to_jsonb(count(*)) from service.jobs);
  end $$;
  create function app.many(job jsonb) returns jsonb language sql as $$
    select to_jsonb(count(service.enqueue('note', jsonb_build_object('n', n)))) from generate_series(1, 300) n
  $$;
`;
const TASKS = {
  note: { function: 'app.note' }, fails: { function: 'app.fails', maxAttempts: 2 }, slow: { function: 'app.slow' },
  brief: { function: 'app.slow', timeoutSeconds: 0.2, maxAttempts: 1 }, deletes: { function: 'app.deletes', maxAttempts: 1 },
  role: { function: 'app.role', maxAttempts: 1 }, reads: { function: 'app.reads', maxAttempts: 1 }, many: { function: 'app.many' },
};

async function serve(t: Test, jobs: object = { tasks: TASKS }, options: ServiceOptions = {}) {
  const env = { ...settings(t, { jobs }), ...options.env };
  const service = await createService(t, { template: 'served', setup: SETUP, ...options, env });
  const { sql } = service;
  const enqueue = async (task: string, payload: string | object = {}, more: object = {}) => {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const [row] = await sql<{ id: string }[]>`
      select service.enqueue(${task}, ${text}::text::jsonb, ${JSON.stringify(more)}::text::jsonb) as id`;
    return row?.id ?? '';
  };
  const job = async (id: string) => {
    const [row] = await sql`select status, attempts, result::text as result, last_error from service.jobs where id = ${id}`;
    return { ...row };
  };
  const over = (id: string) => until('it is over', async () => {
    const found = await job(id);
    return ['succeeded', 'failed'].includes(found['status'] as string) ? found : undefined;
  });
  const done = async () => (await sql`select n from app.done order by n`).map(({ n }) => n as number);
  return { ...service, enqueue, job, over, done };
}

const asleep = async (sql: postgres.Sql): Promise<boolean> =>
  (await sql`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`).length === 1;

test('a handler in SQL runs as the service under row security, and not on the owner\'s login', async t => {
  const { sql, enqueue, over } = await serve(t);
  const id = await enqueue('note', { n: 7 });
  const { status, result, attempts } = await over(id);
  t.same([status, attempts], ['succeeded', 1]);
  t.same(JSON.parse(result as string), { job: { task: 'note', attempt: 1, maxAttempts: 3, payload: { n: 7 } }, id: 36, at: true });
  const [row] = await sql`select by, login, uid, roles, login = session_user as owner from app.done`;
  t.match(row, { by: 'service_user', login: /_service$/, uid: 'service', roles: 'admin', owner: false });
  const refused = await over(await enqueue('note', { n: 1_000 }, { maxAttempts: 1 }));
  t.match(refused, { status: 'failed', last_error: /row-level security/ });
});

test('the payload and the result keep every digit', async t => {
  const { enqueue, over } = await serve(t);
  const { result } = await over(await enqueue('note', '{"n": 1, "big": 12345678901234567890.123456789}'));
  t.match(result, /12345678901234567890\.123456789/);
});

test('an exception undoes what the handler did, and is the reason that the job shows', async t => {
  const { sql, enqueue, over, done, job } = await serve(t);
  const id = await enqueue('fails');
  await until('it failed', async () => (await job(id))['last_error'] === 'attempt 1 of 2 failed');
  t.match(await job(id), { status: 'pending', attempts: 1 });
  await sql`select service.job_retry(id) from service.jobs`;
  await sql`update service.jobs set run_at = now()`;
  await sql`select service_private.ring_workers()`;
  t.match(await over(id), { status: 'failed', attempts: 2, last_error: 'attempt 2 of 2 failed' });
  t.same(await done(), []);
});

test('a job that is cancelled while it runs leaves nothing behind', async t => {
  const { sql, enqueue, over, done, job } = await serve(t);
  const id = await enqueue('slow', { n: 1, seconds: 30 });
  await until('it runs', async () => (await job(id))['status'] === 'running');
  await until('its function runs', () => asleep(sql));
  t.same(await sql`select service.job_cancel(${id}) as cancelled`, [{ cancelled: true }]);
  await until('the server is free of it', async () => !await asleep(sql));
  t.match(await over(id), { status: 'failed', last_error: 'It was cancelled.' });
  t.same(await done(), []);
});

test('a claim that went while the handler ran rolls it back', async t => {
  const { sql, enqueue, over, done, job } = await serve(t);
  const id = await enqueue('slow', { n: 1, seconds: 0.5 });
  await until('its function runs', () => asleep(sql));
  await sql`update service.jobs set attempts = 2, locked_by = 'another' where id = ${id}`;
  await until('the function ended', async () => !await asleep(sql));
  t.match(await job(id), { status: 'running', attempts: 2 });
  t.same(await done(), []);
  t.same(await sql`select service.job_reap(0) as reaped`, [{ reaped: 1 }]);
  await over(id);
  t.same(await done(), [1], 'its effect is there once');
});

test('an attempt that takes longer than its task may fails', async t => {
  const { enqueue, over, done } = await serve(t);
  t.match(await over(await enqueue('brief', { n: 1, seconds: 30 })), { status: 'failed', last_error: 'It took longer than 0.2 s.' });
  t.same(await done(), []);
});

test('a handler reaches no job, and what it leaves in its session reaches no other', async t => {
  const { sql, enqueue, over } = await serve(t, { concurrency: 1, tasks: TASKS });
  t.match(await over(await enqueue('deletes')), { status: 'failed', last_error: /permission denied/ });
  t.match(await over(await enqueue('reads')), { status: 'failed', last_error: /permission denied/ }, 'as its login neither');
  for (const role of ['none', 'postgres', 'service_user']) {
    const { status, result, last_error: error } = await over(await enqueue('role', { role }));
    if (role === 'postgres') t.match([status, error], ['failed', /permission denied|does not exist/]);
    else t.equal(status, 'succeeded', `${role}: ${String(result)} ${String(error)}`);
    t.match(await over(await enqueue('note', { n: 5 })), { status: 'succeeded' }, `after ${role}`);
  }
  t.same(await sql`select distinct by from app.done`, [{ by: 'service_user' }]);
});

test('a handler may enqueue, and its jobs are there with its commit', async t => {
  const { sql, enqueue, over, done } = await serve(t);
  t.match(await over(await enqueue('many')), { status: 'succeeded', result: '300' });
  await until('they are done', async () =>
    (await sql`select from service.jobs where status <> 'succeeded'`).length === 0);
  t.same(await done(), Array.from({ length: 300 }, (_, n) => n + 1));
});

test('a task has a function that is there and fits, or the service does not start', async t => {
  const named = (name: string) => ({ function: name });
  const wrong = {
    'a': named('app.missing'), 'b': named('nowhere'), 'c': named('app.text'), 'd': named('app.hidden'), 'e': named('app.rows'),
  };
  const setup = `${SETUP}
    create function app.text(job jsonb) returns text language sql as 'select null::text';
    create function app.hidden(job jsonb) returns jsonb language sql as 'select null::jsonb';
    revoke execute on function app.hidden from public;
    create function app.rows(job jsonb) returns setof jsonb language sql as 'select null::jsonb';`;
  await t.rejects(serve(t, { tasks: wrong }, { setup }), { name: 'BootError', message: [
    'jobs.tasks.a.function of the settings file: there is no function app.missing(jsonb) returns jsonb.',
    'jobs.tasks.b.function of the settings file: there is no function nowhere(jsonb) returns jsonb.',
    'jobs.tasks.c.function of the settings file: there is no function app.text(jsonb) returns jsonb.',
    'jobs.tasks.d.function of the settings file: service_user may not call app.hidden(jsonb).',
    'jobs.tasks.e.function of the settings file: there is no function app.rows(jsonb) returns jsonb.',
  ].join('\n') });
  const refused: [object, RegExp][] = [
    [{ tasks: { 'service.x': named('app.note') } }, /jobs\.tasks\.service\.x: must not begin with service\./],
    [{ tasks: { '': named('app.note') } }, /must have a name of 1 to 255 characters/],
    [{ tasks: { a: {} } }, /jobs\.tasks\.a: lacks function/], [{ tasks: { a: named('select 1; --') } }, /must be the name of a function/],
    [{ tasks: { a: { function: 'app.note', timeoutSeconds: 0 } } }, /timeoutSeconds/],
    [{ tasks: { a: { function: 'app.note', maxAttempts: 0 } } }, /maxAttempts/],
    [{ concurrency: 0 }, /jobs\.concurrency/], [{ concurrency: 1.5 }, /jobs\.concurrency/], [{ pollIntervalMs: 1 }, /pollIntervalMs/],
    [{ visibilityTimeoutMs: '5' }, /visibilityTimeoutMs/], [{ succeededDays: -1 }, /succeededDays/], [{ retention: 1 }, /jobs\.retention/],
  ];
  for (const [jobs, message] of refused) await t.rejects(serve(t, jobs), { name: 'BootError', message }, JSON.stringify(jobs));
});

test('end users reach nothing but enqueue', async t => {
  const { sql } = await serve(t);
  const reachable = await sql<{ name: string }[]>`
    select p.proname as name from pg_proc p
    where p.pronamespace = 'service'::regnamespace and p.proname ~ '^jobs?_|^enqueue$' and p.prosecdef
      and has_function_privilege('service_user', p.oid, 'execute')`;
  t.same(reachable, [{ name: 'enqueue' }]);
  for (const statement of [
    'select from service.jobs', 'select from service.job_workers', 'select service.job_cancel(gen_random_uuid())',
    'select service.job_retry(gen_random_uuid())', 'select * from service.job_claim(1, \'x\', \'{note}\')', 'select service.job_reap(0)',
    'select service.job_sweep()', 'select service_private.finish_job(gen_random_uuid(), \'x\', 1, null)',
  ]) {
    await t.rejects(sql.begin(async transaction => {
      await transaction`set local role service_user`;
      await transaction.unsafe(statement);
    }), { code: '42501' }, statement);
  }
});

test('a job whose row another session holds locked holds up no other handler', async t => {
  const { sql, enqueue, over, done, job } = await serve(t, { concurrency: 2, tasks: TASKS }, { env: { DB_POOL_MAX: '20' } });
  const id = await enqueue('slow', { n: 1, seconds: 0.5 });
  await until('it runs', async () => (await job(id))['status'] === 'running');
  await sql.begin(async inspector => {
    await inspector`select from service.jobs where id = ${id} for update`;
    await until('it waits to be recorded', async () => (await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0);
    for (let n = 2; n <= 5; n++) t.match(await over(await enqueue('note', { n })), { status: 'succeeded', attempts: 1 });
  });
  t.match(await over(id), { status: 'succeeded', attempts: 1 });
  t.same(await done(), [1, 2, 3, 4, 5]);
});
