import { test, type Test } from 'tap';
import type postgres from 'postgres';
import { createService, SERVICE_KEY, tokenFor, type Answer } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { cronFile, logsOf } from './cron.ts';

const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create table public.done (at timestamptz default clock_timestamp(), job jsonb);
  grant insert on public.done to service_user;
  create function app.report(job jsonb) returns jsonb language plpgsql as $$
  begin
    raise notice 'counting for %', job ->> 'jobId';
    raise warning 'twice';
    insert into public.done (job) values (job);
    return jsonb_build_object('job', job, 'uid', service.uid(), 'roles', service.roles(), 'as', current_user,
      'big', 12345678901234567890, 'none', null);
  end $$;
  create function app.words(job jsonb) returns jsonb language plpgsql as $$
  begin
    insert into public.done (job) values (job);
    raise exception 'The report of % is missing.', 'May' using detail = 'the detail', hint = 'the hint';
  end $$;
  create function app.refuse(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform service.fail(409, 'CONFLICT', 'Sold out.');
  end $$;
  create function app.value(job jsonb) returns jsonb language plpgsql as $$
  begin
    raise notice 'before';
    return to_jsonb('a secret value'::integer);
  end $$;
  create function app.statement(job jsonb) returns jsonb language plpgsql as $$
  begin
    execute 'select secret_column from secret_table where secret = ''value''';
    return null;
  end $$;
  create function app.slow(job jsonb) returns jsonb language plpgsql as $$
  begin
    raise notice 'asleep';
    perform pg_sleep(60);
    return null;
  end $$;
  create function app.held(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(77);
    return '"released"';
  end $$;
  create function app.escape(job jsonb) returns jsonb language plpgsql as $$
  begin
    reset role;
    return to_jsonb(current_user);
  end $$;
  create function app.nothing(job jsonb) returns jsonb language sql as 'select null::jsonb'`;

const NEW_YEAR = '0 0 1 1 *';
const cron = (name: string, more = {}) => ({ function: `app.${name}`, name: `The ${name}`, schedule: NEW_YEAR, ...more });
const CRONS = {
  'report': cron('report', { description: 'why', timezone: 'Europe/Berlin' }),
  'a b/c': cron('nothing'),
  'words': cron('words'), 'refuse': cron('refuse'), 'value': cron('value'), 'statement': cron('statement'),
  'slow': cron('slow', { timeoutSeconds: 0.5 }), 'held': cron('held'), 'escape': cron('escape'),
  'off': cron('nothing', { enabled: false }), 'never': cron('nothing', { schedule: '0 0 31 2 *' }),
};

async function service(t: Test, env: Record<string, string> = {}) {
  const created = await createService(t, { template: 'served', setup: SETUP, env: { ...cronFile(t, CRONS), ...env } });
  const ask = (method: string, path: string, body?: unknown) =>
    created.request(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { ...created, ask, get: (path: string) => ask('GET', path) };
}

const codeOf = ({ status, body }: Answer): unknown[] => [status, body?.error?.code];

/** Has `app.held` wait until it is released. */
async function holdRuns(sql: postgres.Sql): Promise<() => Promise<void>> {
  const session = await sql.reserve();
  await session`select pg_advisory_lock(77)`;
  return async () => {
    await session`select pg_advisory_unlock(77)`;
    session.release();
  };
}

const isWaiting = async (sql: postgres.Sql): Promise<boolean> =>
  (await sql`select from pg_locks where locktype = 'advisory' and objid = 77 and not granted`).length > 0;

test('the jobs and their records', async t => {
  const { get } = await service(t);
  const { status, body, headers } = await get('/admin/cron');
  t.equal(status, 200);
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(headers.get('deprecation'), null);
  t.same(Object.keys(body), ['jobs']);
  t.same(body.jobs.map(({ id, state }: any) => [id, state]), [
    ['a b/c', 'idle'], ['escape', 'idle'], ['held', 'idle'], ['never', 'error'], ['off', 'disabled'], ['refuse', 'idle'],
    ['report', 'idle'], ['slow', 'idle'], ['statement', 'idle'], ['value', 'idle'], ['words', 'idle'],
  ]);
  const report = body.jobs.find(({ id }: any) => id === 'report');
  t.same(Object.keys(report), [
    'id', 'name', 'description', 'schedule', 'timezone', 'enabled', 'state', 'nextRunAt', 'totalRuns', 'totalFailures',
  ]);
  t.match(report, {
    name: 'The report', description: 'why', schedule: NEW_YEAR, timezone: 'Europe/Berlin', enabled: true,
    nextRunAt: /^\d{4}-12-31T23:00:00\.000Z$/, totalRuns: 0, totalFailures: 0,
  });
  t.same((await get('/admin/cron/report')).body, { job: report });
  t.equal((await get('/admin/cron/a%20b%2Fc')).body.job.id, 'a b/c');
  t.same(codeOf(await get('/admin/cron/nothing')), [404, 'NOT_FOUND']);
});

test('a run by hand has the value of its function as result and its notices as logs', async t => {
  const { ask, get, sql } = await service(t);
  const { status, body, text } = await ask('POST', '/admin/cron/report/trigger');
  t.equal(status, 200, text);
  const { log, job } = body;
  t.same(Object.keys(log), ['jobId', 'startedAt', 'finishedAt', 'durationMs', 'success', 'result', 'logs', 'manual']);
  t.match(log, { jobId: 'report', success: true, manual: true, logs: ['counting for report', 'twice'] });
  const { job: argument, ...result } = log.result;
  t.same(Object.keys(argument).sort(), ['jobId', 'manual', 'scheduledAt']);
  t.match(argument, { jobId: 'report', manual: true, scheduledAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ });
  t.match(result, { uid: 'service', roles: 'admin', as: 'service_user', none: null });
  t.match(text, '"big": 12345678901234567890', 'with every digit');
  t.match(job, { state: 'idle', totalRuns: 1, totalFailures: 0, lastRunAt: log.startedAt, lastDurationMs: log.durationMs });
  t.notOk('lastError' in job);
  t.same((await sql`select job from public.done`)[0], { job: argument });
  t.same((await get('/admin/cron/report/logs')).body, { logs: [log] });
  const { body: { log: nothing } } = await ask('POST', '/admin/cron/a%20b%2Fc/trigger');
  t.notOk('result' in nothing);
  t.equal((await ask('POST', '/admin/cron/off/trigger')).body.log.success, true, 'a job that is off, too');
  t.equal((await ask('POST', '/admin/cron/never/trigger')).body.log.success, true, 'and one that is never due');
  t.same(codeOf(await ask('POST', '/admin/cron/nothing/trigger')), [404, 'NOT_FOUND']);
});

test('a run that fails is told in words, without SQL and without values', async t => {
  const { ask, sql } = await service(t);
  const failed = async (id: string) => {
    const { status, body, text } = await ask('POST', `/admin/cron/${id}/trigger`);
    t.equal(status, 200, text);
    t.equal(body.log.success, false);
    t.equal(body.job.lastError, body.log.error);
    t.notMatch(text, /secret|detail|hint|select|integer/i, id);
    return body.log;
  };
  t.equal((await failed('words')).error, 'The report of May is missing.');
  t.equal((await sql`select from public.done`).length, 0, 'and its work is undone');
  t.equal((await failed('refuse')).error, 'Sold out.');
  t.match(await failed('value'), { error: 'A value could not be used (SQLSTATE 22P02).', logs: ['before'] });
  t.equal((await failed('statement')).error, 'A statement has a fault, names what is not there, or uses what it may not (SQLSTATE 42P01).');
  t.match(await failed('slow'), { error: 'The run did not end within 0.5 s.', logs: ['asleep'] });
  const stored = JSON.stringify(await sql`select error, logs, result from service.cron_logs`);
  t.notMatch(stored, /secret|select|integer/i);
  const { body: { log } } = await ask('POST', '/admin/cron/escape/trigger');
  const [{ owner } = { owner: '' }] = await sql<{ owner: string }[]>`select current_user as owner`;
  t.not(log.result, owner, 'a function that resets its role is not the owner');
});

test('a second trigger is refused while one runs; a client that leaves does not end the run', async t => {
  const { ask, get, sql, address } = await service(t);
  const release = await holdRuns(sql);
  const client = new AbortController();
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const first = fetch(`${address}/api/admin/cron/held/trigger`, { method: 'POST', headers, signal: client.signal });
  first.catch(() => undefined);
  await until('it runs', () => isWaiting(sql));
  t.equal((await get('/admin/cron/held')).body.job.state, 'running');
  const second = await ask('POST', '/admin/cron/held/trigger');
  t.same(codeOf(second), [409, 'CRON_JOB_ALREADY_EXECUTING']);
  t.match(second.body.error.details.log, {
    jobId: 'held', success: true, manual: true, result: { skipped: true, reason: 'already_executing' }, logs: [], durationMs: 0,
  });
  client.abort();
  await t.rejects(first);
  await release();
  const log = await until('the run ended', async () => (await logsOf(sql, 'held')).find(({ result }) => result === 'released'));
  t.match(log, { success: true, manual: true });
  t.equal((await get('/admin/cron/held')).body.job.totalRuns, 1);
});

test('pausing: true, false, and null, which lets the definition decide', async t => {
  const { ask, get, sql, request } = await service(t);
  const put = async (id: string, enabled: boolean | null) => {
    const { status, body } = await ask('PUT', `/admin/cron/${id}`, { enabled });
    t.equal(status, 200);
    t.same(body, (await get(`/admin/cron/${id}`)).body);
    return [body.job.enabled, body.job.state, 'nextRunAt' in body.job];
  };
  t.same(await put('report', false), [false, 'disabled', false]);
  t.same(await put('off', null), [false, 'disabled', false]);
  t.same(await put('off', true), [true, 'idle', true]);
  t.same(await put('off', null), [false, 'disabled', false]);
  t.same(await put('report', null), [true, 'idle', true]);
  t.same([...await sql`select enabled, updated_by, updated_at is not null as dated from service.cron_job_state where job_id = 'report'`],
    [{ enabled: null, updated_by: 'service', dated: true }]);
  t.same((await sql`select enabled from service.cron_jobs where id = 'report'`)[0], { enabled: true });
  const wrong = ['{}', '{"enabled": "true"}', '{"enabled": 1}', '{"enabled": []}', '[]', 'null', '"x"', '{', '{"Enabled": true}', ''];
  for (const body of wrong) {
    t.same(codeOf(await request('/admin/cron/report', { method: 'PUT', body })), [400, 'BAD_REQUEST'], body);
  }
  const headers = { 'content-type': 'text/plain' };
  const asText = await request('/admin/cron/report', { method: 'PUT', body: '{"enabled": true}', headers });
  t.same(codeOf(asText), [415, 'UNSUPPORTED_MEDIA_TYPE']);
  t.same(codeOf(await ask('PUT', '/admin/cron/nothing', { enabled: true })), [404, 'NOT_FOUND']);
});

test('a state that cannot be saved is 503', async t => {
  const { ask, sql } = await service(t);
  await sql.unsafe(`
    create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'No.'; end $$;
    create trigger refuse before insert or update on service.cron_job_state for each row execute function public.refuse()`).simple();
  t.same(codeOf(await ask('PUT', '/admin/cron/report', { enabled: false })), [503, 'SERVICE_UNAVAILABLE']);
  t.same(codeOf(await ask('POST', '/admin/cron/report/trigger')), [503, 'SERVICE_UNAVAILABLE'], 'nor is a run begun');
  t.equal((await sql`select from public.done`).length, 0);
  await sql`drop trigger refuse on service.cron_job_state`;
  t.equal((await ask('PUT', '/admin/cron/report', { enabled: false })).status, 200);
});

test('the logs, newest first, as many as are asked for', async t => {
  const { get, sql } = await service(t);
  await sql`
    insert into service.cron_logs (job_id, started_at, finished_at, duration_ms, success, manual, error)
    select 'report', now() - n * interval '1 minute', now(), n, n % 2 = 0, false, case when n % 2 = 1 then 'It broke.' end
    from generate_series(1, 1100) n`;
  const numbers = async (query: string) =>
    (await get(`/admin/cron/report/logs${query}`)).body.logs.map(({ durationMs }: any) => durationMs);
  t.same(await numbers(''), Array.from({ length: 50 }, (_, n) => n + 1));
  t.same(await numbers('?limit=3'), [1, 2, 3]);
  t.same(await numbers('?limit='), await numbers(''));
  t.equal((await numbers('?limit=1000')).length, 1_000);
  t.same(Object.keys((await get('/admin/cron/report/logs?limit=1')).body.logs[0]),
    ['jobId', 'startedAt', 'finishedAt', 'durationMs', 'success', 'error', 'logs', 'manual']);
  const wrong = ['limit=0', 'limit=1001', 'limit=x', 'limit=-1', 'limit=1.5', 'limit=1e2', 'limit=%31001', 'limt=5', 'limit=%ff'];
  for (const query of wrong) {
    t.same(codeOf(await get(`/admin/cron/report/logs?${query}`)), [400, 'INVALID_PARAM'], query);
  }
  t.same((await get('/admin/cron/words/logs')).body, { logs: [] });
  t.same(codeOf(await get('/admin/cron/nothing/logs')), [404, 'NOT_FOUND']);
});

test('the earlier paths answer the same, and say that they will go', async t => {
  const { ask } = await service(t);
  const rows: [string, string, number, object?][] = [
    ['GET', '', 200], ['GET', '/report', 200], ['PUT', '/report', 200, { enabled: null }], ['GET', '/words/logs', 200],
    ['POST', '/report/trigger', 200], ['GET', '/nothing', 404], ['PUT', '/report', 400, { enabled: 1 }], ['POST', '/nothing/trigger', 404],
  ];
  for (const [method, path, status, body] of rows) {
    const earlier = await ask(method, `/cron${path}`, body);
    const answer = await ask(method, `/admin/cron${path}`, body);
    t.same([earlier.status, answer.status], [status, status], `${method} ${path}`);
    t.equal(earlier.headers.get('deprecation'), 'true');
    t.equal(answer.headers.get('deprecation'), null);
    t.same(Object.keys(earlier.body), Object.keys(answer.body));
  }
  t.same(codeOf(await ask('DELETE', '/cron/report')), [404, 'NOT_FOUND']);
  t.same(codeOf(await ask('GET', '/cron/report/logs/1')), [404, 'NOT_FOUND']);
});

test('the gates: cron:read to look, cron:write to change and to run', async t => {
  const { request, get } = await service(t);
  const reading = [['GET', ''], ['GET', '/report'], ['GET', '/report/logs']] as const;
  const writing = [['PUT', '/report'], ['POST', '/report/trigger']] as const;
  const key = async (scopes: string[]) => {
    const body = JSON.stringify({ name: 'k', scopes });
    return (await request('/admin/api-keys', { method: 'POST', as: await tokenFor('root', ['admin']), body })).body.key.key as string;
  };
  const [reader, writer] = [await key(['cron:read']), await key(['cron:write'])];
  const person = await tokenFor('u1');
  for (const base of ['/admin/cron', '/cron']) {
    for (const [method, path] of [...reading, ...writing]) {
      const body = method === 'PUT' ? { body: '{"enabled":null}' } : {};
      const answer = async (as: string | null) => codeOf(await request(base + path, { method, as, ...body }));
      const isRead = method === 'GET';
      t.same(await answer(null), [401, 'UNAUTHORIZED'], `${method} ${path}`);
      t.same(await answer(person), [403, 'FORBIDDEN']);
      t.same(await answer(reader), isRead ? [200, undefined] : [403, 'API_KEY_FORBIDDEN']);
      t.same(await answer(writer), isRead ? [403, 'API_KEY_FORBIDDEN'] : [200, undefined]);
    }
  }
  t.same((await request('/admin/cron/report', { method: 'PUT', as: reader, body: '{"enabled":true}' })).body.error.details,
    { requiredScope: 'cron:write' });
  t.equal((await get('/admin/cron')).status, 200);
});

test('without accounts the routes are not to be had, and the jobs are there', async t => {
  const { ask, sql } = await service(t, { SERVICE_AUTH: 'off' });
  for (const path of ['/admin/cron', '/cron', '/cron/report/logs']) {
    t.same(codeOf(await ask('GET', path)), [501, 'ADMIN_SURFACE_UNAVAILABLE'], path);
  }
  t.equal((await sql`select from service.cron_jobs`).length, Object.keys(CRONS).length);
});
