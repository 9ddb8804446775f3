import postgres from 'postgres';
import { test, type Test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { generator, seed } from '../harness/effort.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { settings } from '../storage/asked.ts';
import { backup, dumpIn, folder, restoreInto, skip } from './backups.ts';

const PERSON = { email: 'ann@example.com', password: 'a long enough Passw0rd' };
const CLIENTS = 8;
const ACCOUNTS = 20;
const MONEY = 1_000;

/** A statement for each step, as of a service that moves money; rows of `large` make the backup last. */
const SETUP = `
  create schema app;
  grant usage on schema app to service_user;
  create table app.cash (id integer primary key, amount integer not null);
  create table app.bank (id integer primary key, amount integer not null);
  create table app.moves (id bigint generated always as identity primary key, account integer not null, amount integer not null);
  insert into app.cash select n, ${MONEY} from generate_series(1, ${ACCOUNTS}) n;
  insert into app.bank select n, 0 from generate_series(1, ${ACCOUNTS}) n;
  create table app.large as select n, sha512(n::text::bytea) as bytes from generate_series(1, 40000) n;
  create table app.effects (n integer not null);
  grant select, insert on app.effects to service_user;
  create function app.work(job jsonb) returns jsonb language sql as
    $$ insert into app.effects values ((job -> 'payload' ->> 'n')::integer) returning to_jsonb(n) $$;`;

test(`a backup beside money that moves has every cent, and a service starts on it (RANDOM_SEED=${seed})`, { skip }, async t => {
  const service = await createService(t, { template: 'served', setup: SETUP });
  const registered = await service.request('/auth/register', { method: 'POST', as: null, body: JSON.stringify(PERSON) });
  t.equal(registered.status, 201, registered.text);
  await service.sql`select service.enqueue('work', '{"n": 1}')`;
  const moving = moveMoney(t, service.url);
  await until('money moves', () => moving.count() > 20);
  const to = folder(t);
  const before = moving.count();
  const { code, output } = await backup(t, service.url, to, {}, ['--prove']);
  const during = moving.count() - before;
  await moving.stop();
  t.equal(code, 0, output);
  t.ok(during > 20, `${during} moves while the backup was made and proven`);

  const { url, sql } = await createDatabase(t);
  const restored = await restoreInto(t, url, ['--with-jobs', dumpIn(to)]);
  t.equal(restored.code, 0, restored.output);
  const [sums] = await sql<{ money: number; moves: number }[]>`
    select (select sum(amount) from app.cash)::integer + (select sum(amount) from app.bank)::integer as money,
      (select count(*) from app.moves)::integer as moves`;
  t.equal(sums?.money, MONEY * ACCOUNTS);
  t.ok((sums?.moves ?? 0) >= before && (sums?.moves ?? Infinity) <= before + during + CLIENTS, `${sums?.moves ?? ''} moves are in it`);
  t.same(await sql`
    select b.id from app.bank b left join app.moves m on m.account = b.id
    group by b.id having b.amount <> coalesce(sum(m.amount), 0)`, [], 'each account is what its moves make it');

  const gateway = startGateway(t, {
    DATABASE_URL: url, SERVICE_SOURCE: 'tables', DB_POOL_MAX: '20', ...settings(t, { jobs: { tasks: { work: { function: 'app.work' } } } }),
  });
  const address = await addressOf(gateway);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${SERVICE_KEY}` };
  const signedIn = await fetch(`${address}/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify(PERSON) });
  t.equal(signedIn.status, 200, await signedIn.text());
  const jobs = () => sql<{ status: string; error: string | null }[]>`
    select status, last_error as error from service.jobs where task = 'work'`;
  const isWaiting = async () => (await jobs()).some(({ status }) => status === 'pending' || status === 'running');
  await until('the job of the backup has run', async () => !await isWaiting());
  t.same(await jobs(), [{ status: 'succeeded', error: null }]);
  t.same(await sql`select n from app.effects`, [{ n: 1 }]);
  t.equal((await fetch(`${address}/admin/backups`, { headers })).status, 200);
});

/** Clients that move sums between two tables, each in a transaction of its own, until they are stopped. */
function moveMoney(t: Pick<Test, 'teardown'>, url: string): { count: () => number; stop: () => Promise<void> } {
  const sql = postgres(url, { max: CLIENTS, onnotice: () => undefined });
  const below = generator(seed);
  let [count, isOver] = [0, false];
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      const [account, amount] = [1 + below(ACCOUNTS), below(50)];
      await sql.begin(async sql => {
        await sql`update app.cash set amount = amount - ${amount}::integer where id = ${account}`;
        await sql`insert into app.moves (account, amount) values (${account}, ${amount})`;
        await sql`update app.bank set amount = amount + ${amount}::integer where id = ${account}`;
      });
      count++;
    }
  });
  const stop = async (): Promise<void> => {
    isOver = true;
    await Promise.all(clients);
  };
  t.teardown(async () => {
    await stop();
    await sql.end();
  });
  return { count: () => count, stop };
}
