// Handlers that misbehave, on one connection: the next job of it is unharmed.
import { test, type Test } from 'tap';
import { runs } from '../harness/effort.ts';
import { createService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';

const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create function app.session(job jsonb) returns jsonb language sql as $$
    select jsonb_build_object(
      'role', current_user, 'settings', (
        select jsonb_object_agg(s.name, s.setting) from pg_settings s where s.context = 'user' and s.name !~ '^app\\.|^application_name$'),
      'mine', nullif(current_setting('app.mine', true), ''), 'uid', service.uid(), 'roles', service.roles(),
      'tables', (select count(*) from pg_class c where c.relnamespace = pg_my_temp_schema()), 'channels', (
        select count(*) from pg_listening_channels()), 'statements', (select count(*) from pg_prepared_statements where from_sql),
      'cursors', (select count(*) from pg_cursors where is_holdable), 'locks', (
        select count(*) from pg_locks l where l.pid = pg_backend_pid() and l.locktype = 'advisory'))
  $$;
  create function app.litters(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform set_config('role', 'none', false), set_config('app.mine', 'left', false), set_config('search_path', 'nowhere', false),
      set_config('statement_timeout', '2s', false), set_config('lock_timeout', '2s', false), set_config('timezone', 'Asia/Tokyo', false),
      set_config('default_transaction_read_only', 'on', false), set_config('row_security', 'off', false),
      set_config('standard_conforming_strings', 'off', false), set_config('client_min_messages', 'debug5', false),
      set_config('app.uid', 'somebody', false), set_config('request.jwt.claims', '{"roles": ["x"]}', false);
    perform pg_catalog.pg_advisory_lock(4711);
    create temp table jobs as select 1;
    execute 'listen everything';
    execute 'prepare mine as select 1';
    execute 'declare mine cursor with hold for select 1';
    return 'true';
  end $$;
  create function app.raises(job jsonb) returns jsonb language plpgsql as $$
  begin
    raise exception using errcode = job ->> 'payload', message = 'raised ' || (job ->> 'payload');
  end $$;
  create function app.returns(job jsonb) returns jsonb language sql as $$
    select case job ->> 'payload' when 'nothing' then null when 'much' then to_jsonb(repeat('x', 3000000))
      else (job ->> 'payload')::jsonb end
  $$;
  create function app.many(job jsonb) returns jsonb language sql as $$
    select to_jsonb(count(service.enqueue('of another gateway', to_jsonb(n)))) from generate_series(1, (job ->> 'payload')::integer) n
  $$;
  create function app.ends(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform set_config('role', 'none', true);
    perform case job ->> 'payload' when 'cancel' then pg_cancel_backend(pg_backend_pid()) else pg_terminate_backend(pg_backend_pid()) end;
    perform pg_sleep(60);
    return 'true';
  end $$;
  create function app.commits(job jsonb) returns jsonb language plpgsql as $$
  begin
    commit;
    return null;
  end $$;
  create function app.talks(job jsonb) returns jsonb language plpgsql as $$
  begin
    for n in 1 .. 2000 loop
      raise notice '%', repeat('x', 1000);
    end loop;
    return 'true';
  end $$;
  create function app.sleeps(job jsonb) returns jsonb language plpgsql as $$
  begin
    perform pg_sleep(60);
    return 'true';
  exception when others then
    return '"it goes on"';
  end $$;`;
const named = (name: string) => ({ function: `app.${name}`, maxAttempts: 1 });
const TASKS = {
  ...Object.fromEntries(['session', 'litters', 'raises', 'returns', 'ends', 'commits', 'talks'].map(name => [name, named(name)])),
  sleeps: { ...named('sleeps'), timeoutSeconds: 0.5 }, many: { ...named('many'), timeoutSeconds: 3_600 },
};

async function serve(t: Test, concurrency = 1) {
  const env = { DB_POOL_MAX: '20', ...settings(t, { jobs: { concurrency, tasks: TASKS } }) };
  const { sql } = await createService(t, { template: 'served', setup: SETUP, env });
  return { sql, done };

  async function done(task: string, payload: unknown = {}): Promise<{ status: string; result: string | null; last_error: string | null }> {
    const [row] = await sql<{ id: string }[]>`select service.enqueue(${task}, ${JSON.stringify(payload)}::text::jsonb) as id`;
    return until(`${task} is over`, async () => (await sql<Awaited<ReturnType<typeof done>>[]>`
      select status, result::text as result, last_error from service.jobs
      where id = ${row?.id ?? null} and status in ('succeeded', 'failed')`)[0], { limit: 600_000 });
  }
}

/** One of each class of the manual's, and others. */
const STATES = [
  '01000', '02000', '03000', '08006', '08P01', '09000', '0A000', '0Z002', '20000', '21000', '22012', '22P05', '23505', '24000',
  '25006', '25P02', '26000', '27000', '28000', '28P01', '2BP01', '2D000', '2F005', '34000', '38000', '39000', '3B001', '3D000',
  '3F000', '40001', '40P01', '42501', '42P01', '42P05', '44000', '53200', '53300', '54000', '54001', '55P03', '57014', '57P01',
  '57P03', '58030', '72000', 'F0000', 'HV000', 'P0001', 'P0002', 'P0003', 'XX000', 'XX001', 'GW400', 'GW404', 'GW409', 'GW500',
  'EPIPE', 'ECONN', 'ZZZZZ',
];

test('an error of whatever class is a failed attempt with its message', async t => {
  const { done } = await serve(t);
  for (const state of STATES) t.match(await done('raises', state), { status: 'failed', last_error: `raised ${state}` }, state);
  t.match(await done('session'), { status: 'succeeded' });
});

test('a handler that leaves its session in disorder leaves nothing to the next', async t => {
  const { done } = await serve(t);
  const session = async () => JSON.parse((await done('session')).result ?? 'null');
  const before = await session();
  t.match(before, { role: 'service_user', uid: 'service', tables: 0, locks: 0, cursors: 0, channels: 0 });
  t.match(await done('litters'), { status: 'succeeded' });
  t.same(await session(), before);
});

test('whatever JSON a handler returns is its result, and NUL has no JSON', async t => {
  const { done } = await serve(t);
  t.match(await done('returns', 'nothing'), { status: 'succeeded', result: null });
  t.equal((await done('returns', 'much')).result?.length, 3_000_002);
  for (const json of ['null', '"\\\\u0000"', `0.${'0'.repeat(299)}1`, `${'['.repeat(1_000)}${']'.repeat(1_000)}`, '{"": "\u{1f600}"}']) {
    t.match(await done('returns', json), { status: 'succeeded', result: json });
  }
  for (const text of ['"\\u0000"', '"\\ud800"', '', 'x']) {
    t.match(await done('returns', text), { status: 'failed', last_error: /json|Unicode/ }, text);
  }
  t.match(await done('session'), { status: 'succeeded' });
});

test('a handler that ends its session, its transaction or its time has failed', async t => {
  const { done } = await serve(t);
  t.match(await done('ends', 'cancel'), { status: 'failed', last_error: 'canceling statement due to user request' });
  t.match(await done('ends', 'terminate'), { status: 'failed' });
  t.match(await done('commits'), { status: 'failed', last_error: /invalid transaction termination/ });
  t.match(await done('sleeps'), { status: 'failed', last_error: 'It took longer than 0.5 s.' }, 'QUERY CANCELED is not one of "others"');
  t.match(await done('talks'), { status: 'succeeded' });
  t.match(await done('session'), { status: 'succeeded' });
});

test('a handler that enqueues a million jobs holds up none of the others', async t => {
  const { sql, done } = await serve(t, 2);
  const count = runs(1_000_000);
  const many = done('many', count);
  await until('it is at work', async () => (await sql`
    select from service.jobs where task = 'many' and status = 'running'`).length === 1);
  t.match(await done('session'), { status: 'succeeded' });
  t.match(await sql`select status from service.jobs where task = 'many'`, [{ status: 'running' }]);
  t.match(await many, { status: 'succeeded', result: String(count) });
  t.match(await done('session'), { status: 'succeeded' }, 'beside jobs that no gateway here does');
  t.match(await sql`select count(*)::integer as count from service.jobs where status = 'pending'`, [{ count }]);
});
