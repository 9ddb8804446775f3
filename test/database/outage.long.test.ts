import { test, type Test } from 'tap';
import { createService, openService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { ask as onServer, start, usedFolder } from '../start/folders.ts';
import { ask, lane, running } from './lanes.ts';

const TABLES = `
  create table author (id int primary key, name text not null);
  create table book (id int primary key, author_id int not null references author, title text not null);
  insert into author select n, 'author ' || n from generate_series(1, 50) n;
  insert into book select n, n % 50 + 1, 'book ' || n from generate_series(1, 1000) n;
  alter table author enable row level security; alter table book enable row level security;
  create policy everyone on author using (true); create policy everyone on book using (true);`;
const PATHS = [
  '/data/book/7', '/data/author/7', '/data/book?limit=20&orderBy=id', '/data/book?authorId=eq.3&orderBy=id',
  '/data/author?limit=3&orderBy=id&include=book', '/data/book/11?include=author', '/data/book/count',
];

type Requests = Pick<TestService, 'request'>;
type Load = { answered: () => number; end: () => Promise<{ right: number; refused: number; wrong: string[] }> };

/** Forty clients that ask without a pause, each answer compared with that of a calm moment. At most so many requests. */
async function load({ request }: Requests, most = 200_000): Promise<Load> {
  const calm = new Map(await Promise.all(PATHS.map(async path => [path, (await request(path)).text] as const)));
  const seen = { right: 0, refused: 0, wrong: [] as string[] };
  let [asked, isOver] = [0, false];
  const clients = Array.from({ length: 40 }, async (_, client) => {
    for (let n = client; !isOver && asked < most; n++) {
      asked += 1;
      const path = PATHS[n % PATHS.length] ?? '';
      const { status, text, body } = await request(path);
      if (status === 200 && text === calm.get(path)) seen.right += 1;
      else if (status === 503 && body?.error?.code === 'SERVICE_UNAVAILABLE') seen.refused += 1;
      else seen.wrong.push(`${path}: ${status} ${text.slice(0, 300)}`);
    }
  });
  return {
    answered: () => seen.right + seen.refused + seen.wrong.length,
    async end() {
      isOver = true;
      await Promise.all(clients);
      return seen;
    },
  };
}

const works = async ({ request }: Requests): Promise<boolean> =>
  (await Promise.all(PATHS.map(path => request(path)))).every(({ status }) => status === 200);

/** A server of the test's own, with the service on it. */
async function privateService(t: Pick<Test, 'teardown'>) {
  const restarted = Promise.withResolvers<number>();
  const server = await start(t, await usedFolder(t), { onRestart: restarted.resolve });
  await onServer(server.url, TABLES);
  const service = await openService(server.url);
  t.teardown(service.close);
  return { server, service, restarted: restarted.promise };
}

test('the server is killed under load: every answer is right or 503, and service resumes by itself', async t => {
  const { server, service, restarted } = await privateService(t);
  const clients = await load(service);
  await until('the load runs', () => Promise.resolve(clients.answered() > 300));
  process.kill(server.pid, 'SIGKILL');
  const before = clients.answered();
  await restarted;
  await until('all is served again', () => works(service));
  await until('clients are served again', () => Promise.resolve(clients.answered() > before + 300));
  const { right, refused, wrong } = await clients.end();
  t.same(wrong, []);
  t.ok(right > 300, `${right} right`);
  t.ok(refused > 0, `${refused} refused`);
  await onServer(server.url, 'alter table author add column born int');
  await until('DDL is heard again', async () => (await service.request('/data/author?born=eq.1')).status === 200);
});

test('while the server is away requests and health say 503, liveness 200', async t => {
  const { server, service } = await privateService(t);
  t.ok(await works(service));
  await server.stop();
  for (const path of PATHS) t.match(await service.request(path), { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  for (const path of [...PATHS, '/health']) t.equal((await service.request(path)).headers.get('retry-after'), '1', path);
  t.equal((await service.request('/health')).status, 503);
  t.equal((await fetch(`${service.address}/livez`)).status, 200);
});

test('a server process that hangs is given up at the deadline and replaced', async t => {
  const { server } = await privateService(t);
  const one = lane(t, server.url, { deadline: 500 });
  const pid = Number(await ask(one, 'select pg_backend_pid()::text'));
  process.kill(pid, 'SIGSTOP');
  try {
    await t.rejects(ask(one, 'select 1::text'), { code: 'CONNECTION_DESTROYED' });
    t.not(Number(await ask(one, 'select pg_backend_pid()::text')), pid);
  } finally {
    process.kill(pid, 'SIGCONT'); // or the server waits for it at its end
  }
});

test('single connections are ended under load: every answer is right or 503', async t => {
  const service = await createService(t, { template: 'served', setup: TABLES });
  const clients = await load(service);
  for (let round = 1; round <= 20; round++) {
    await until('the load goes on', () => Promise.resolve(clients.answered() > round * 50));
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
      and application_name = any(${['rowgate point', 'rowgate scan', 'rowgate owner', 'rowgate listen']}) order by random() limit 1`;
  }
  const { right, wrong } = await clients.end();
  t.same(wrong, []);
  t.ok(right > 500, `${right} right`);
  await until('all is served again', () => works(service));
});

test('a compilation that hangs ends in time as 503, and the connection is usable afterwards', async t => {
  const service = await createService(t,
    { template: 'served', setup: `${TABLES} create policy writing on book for insert with check (true);` });
  const post = () => service.request('/data/book', { method: 'POST', body: '{"id":2000,"authorId":1,"title":"x"}' });
  await service.sql.begin(async holder => {
    await holder`lock table pg_proc, service.properties in access exclusive mode`;
    const answers = await Promise.all([service.request('/data/author/7'), post()]);
    t.same(answers.map(({ status, body }) => [status, body.error.code]), [[503, 'SERVICE_UNAVAILABLE'], [503, 'SERVICE_UNAVAILABLE']]);
  });
  t.equal((await service.request('/data/author/7')).status, 200);
  t.equal((await post()).status, 201);
});

test('with DB_POOL_IDLE_TIMEOUT no connection stays that has nothing to do but the one that listens', async t => {
  const service = await createService(t, { template: 'served', setup: TABLES, env: { DB_POOL_IDLE_TIMEOUT: '200' } });
  const open = async () => (await service.sql<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity where datname = current_database() and application_name like 'rowgate %'
    order by 1`).map(({ name }) => name);
  for (let n = 0; n < 2; n++) {
    t.ok(await works(service));
    await until('all but one are closed', async () => (await open()).join() === 'rowgate listen');
  }
  t.ok(await works(service));
});

test('statement_timeout and too many connections are 503', async t => {
  const service = await createService(t, { template: 'served', setup: `${TABLES} create table slow (id int primary key);
    insert into slow values (1);
    alter table slow enable row level security; create policy everyone on slow using (pg_sleep(30) is not null)` });
  const [row] = await service.sql`select current_database() as name`;
  const reader = `${String(row?.['name'])}_reader`;
  await service.sql.unsafe(`alter role ${reader} in database ${String(row?.['name'])} set statement_timeout = '100ms'`);
  t.match(await service.request('/data/slow'),
    { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE', details: { dbCode: '57014' } } } });
  await service.sql.unsafe(`alter role ${reader} connection limit 0`);
  await service.sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${reader}`;
  await until('nobody is connected', async () => (await service.sql`select from pg_stat_activity where usename = ${reader}`).length === 0);
  await until('the lanes have noticed', async () => (await service.request('/data/author/1')).body.error?.details?.dbCode === '53300');
  t.match(await service.request('/data/author/1'),
    { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE', details: { dbCode: '53300' } } } });
  await service.sql.unsafe(`alter role ${reader} connection limit -1`);
  t.equal((await service.request('/data/author/1')).status, 200);
});

test('a list whose client left is cancelled, and its lane serves on', async t => {
  const service = await createService(t, { template: 'served', env: { DB_POOL_MAX: '5' }, setup: `${TABLES}
    create table slow (id int primary key); insert into slow values (1);
    alter table slow enable row level security; create policy everyone on slow using (pg_sleep(30) is not null)` });
  const leaving = new AbortController();
  const slow = fetch(`${service.address}/api/data/slow`,
    { headers: { authorization: 'Bearer a-service-key-for-tests-0123456789abcdef' }, signal: leaving.signal });
  const gone = t.rejects(slow);
  await until('the list runs', async () => (await running(service.sql, '%public.slow%')).length === 1);
  leaving.abort();
  await gone;
  await until('it was cancelled', async () => (await running(service.sql, '%public.slow%')).length === 0);
  t.ok(await works(service));
});
