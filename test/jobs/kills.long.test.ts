import postgres from 'postgres';
import { test, type Test } from 'tap';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { migrate } from '../../gateway/start/migrate.ts';
import { addressOf, emptyFolder, startGateway, type Gateway } from '../boot/gateway.ts';
import { childrenOf } from '../harness/children.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { schema } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';

const QUEUES = 10;
/** A sequence tells what a rollback would take back. */
const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create table app.effects (place bigint generated always as identity, n integer not null, queue text);
  grant select, insert on app.effects to service_user;
  create sequence app.overlaps;
  grant usage on sequence app.overlaps to service_user;
  create function app.work(job jsonb) returns jsonb language plpgsql as $$
  declare
    n integer := (job -> 'payload' ->> 'n')::integer;
  begin
    if not pg_try_advisory_xact_lock(hashtextextended((job ->> 'id') || (job ->> 'attempt'), 0)) then
      perform nextval('app.overlaps');
    end if;
    insert into app.effects (n, queue) values (n, job -> 'payload' ->> 'queue');
    if n % 7 = 0 then
      perform service.enqueue('work', jsonb_build_object('n', n + 1000001), '{"maxAttempts": 1000}');
    end if;
    perform pg_sleep(random() / 5);
    return to_jsonb(n);
  end $$;`;

test(`jobs of two gateways beside kills of these and of PostgreSQL (RANDOM_SEED=${seed})`, async t => {
  const server = await startEmbedded({ dir: emptyFolder(t) });
  t.teardown(server.stop);
  const sql = postgres(server.url, { max: 4, fetch_types: false, onnotice: () => undefined, backoff: () => 0 });
  t.teardown(() => sql.end({ timeout: 0 }));
  await migrate(sql, schema);
  await sql.unsafe(SETUP).simple();
  const count = runs(2000);
  const whole = count + Math.floor(count / 7);
  const kills = Math.max(3, runs(20));
  const upTo = (part: number) => Math.floor(count * part / (kills + 1));
  await surely(() => enqueue(upTo(1)));
  const gateways = [await started(t, server.url, 'all'), await started(t, server.url, 'worker')];
  const below = generator(seed);
  for (let kill = 0; kill < kills; kill++) {
    await until('some of this part are done', async () => await effects() > upTo(kill), { limit: 120_000 });
    const victim = kill % 3;
    if (victim === 2) {
      const chosen = await until('a session', () => {
        const processes = childrenOf(server, 'rowgate');
        return processes[below(Math.max(1, processes.length))];
      });
      process.kill(chosen, 'SIGKILL');
    } else {
      gateways[victim]?.process.kill('SIGKILL');
      gateways[victim] = await started(t, server.url, victim === 0 ? 'all' : 'worker');
    }
    await surely(() => enqueue(upTo(kill + 2)));
  }
  await until('all are done', async () => await surely(async () =>
    (await sql`select from service.jobs where status in ('pending', 'running')`).length) === 0, { limit: 300_000 });
  const last = await sql<{ status: string; jobs: number }[]>`select status, count(*)::integer as jobs from service.jobs group by 1`;
  t.same(last, [{ status: 'succeeded', jobs: whole }], `${kills} kills: none is lost`);
  t.same(await sql`select n, count(*)::integer as times from app.effects group by n having count(*) > 1`, [], 'none is done twice');
  t.equal(await effects(), whole);
  t.same(await sql`select is_called from app.overlaps`, [{ is_called: false }], 'no two runs of one claim overlap');
  t.same(await sql`
    select e.queue from (select *, lag(n) over (partition by queue order by place) as before from app.effects where queue is not null) e
    where e.before > e.n`, [], 'queues are in order');
  const [tries] = await sql`select sum(attempts)::integer as attempts from service.jobs`;
  console.log(`# ${whole} jobs, ${kills} kills, ${String(tries?.['attempts'])} attempts`);

  /** So that there are some for each kill. All of those up to a number are enqueued, once. */
  async function enqueue(last: number): Promise<void> {
    await sql`
      select service.enqueue('work', jsonb_build_object('n', n, 'queue', case when n % 10 = 0 then 'q' || n / 10 % ${QUEUES}::integer end),
        '{"maxAttempts": 1000}'::jsonb
          || case when n % 10 = 0 then jsonb_build_object('queue', 'q' || n / 10 % ${QUEUES}::integer) else '{}' end)
      from (select coalesce(max((payload ->> 'n')::integer), 0) + 1 as next
          from service.jobs where (payload ->> 'n')::integer <= ${count}) j,
        generate_series(j.next, ${last}::integer) n`;
  }

  async function effects(): Promise<number> {
    return surely(async () => (await sql<{ n: number }[]>`select count(*)::integer as n from app.effects`)[0]?.n ?? 0);
  }
});

async function started(t: Test, url: string, role: string): Promise<Gateway> {
  return surely(async () => {
    const gateway = startGateway(t, {
      DATABASE_URL: url, SERVICE_SOURCE: 'tables', SERVICE_ROLE: role, DB_POOL_MAX: '20',
      ...settings(t, { jobs: { concurrency: 5, tasks: { work: { function: 'app.work' } } } }),
    });
    await addressOf(gateway);
    return gateway;
  });
}

/** A server that recovers refuses for a while. */
async function surely<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise(resolve => { setTimeout(resolve, 200); });
    }
  }
}
