// Handlers in files of jobs/, in processes of their own.
import { test } from 'tap';
import type postgres from 'postgres';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { foldersIn, projectFolder, serveProject, type Served } from '../functions/serve.ts';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

type Row = { status: string; result: any; attempts: number; last_error: string | null };

const enqueue = async (sql: postgres.Sql, task: string, payload: unknown = null, options: object = {}): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    select service.enqueue(${task}, ${JSON.stringify(payload)}::text::jsonb, ${JSON.stringify(options)}::text::jsonb)::text as id`;
  return row?.id ?? '';
};
const rowOf = async (sql: postgres.Sql, id: string): Promise<Row | undefined> =>
  (await sql<Row[]>`select status, result, attempts, last_error from service.jobs where id = ${id}::text::uuid`)[0];
const over = (sql: postgres.Sql, id: string): Promise<Row> => until(`job ${id} is over`, async () => {
  const row = await rowOf(sql, id);
  return row?.status === 'succeeded' || row?.status === 'failed' ? row : undefined;
});
const done = async (sql: postgres.Sql, task: string, payload?: unknown, options?: object) =>
  over(sql, await enqueue(sql, task, payload, { maxAttempts: 1, ...options }));
const heard = ({ log }: Pick<Served, 'log'>, line: RegExp) =>
  until(String(line), () => Promise.resolve(log.find(({ msg }) => line.test(msg))));

test('a file of jobs/ is the handler of the task that it is named after', async t => {
  const served = await serveProject(t, {
    'jobs/echo.ts': `
      import type { JobHandler } from 'rowgate/functions';
      const echo: JobHandler<{ a: number }> = (job, { rowgate, signal }) => {
        console.warn('echo', job.payload.a);
        return { job, client: Object.keys(rowgate).sort(), aborted: signal.aborted };
      };
      export default echo;`,
    'jobs/nothing.js': 'export default async () => {};',
    'jobs/fails.ts': `export default { maxAttempts: 2, handler: ({ attempt, maxAttempts }) => {
      throw new Error('attempt ' + attempt + ' of ' + maxAttempts); } };`,
    'jobs/counts.ts': `import { helper } from './lib/helper.ts'; export default job => helper(job.payload);`,
    'jobs/lib/helper.ts': 'export const helper = (n: number): number => n + 1;',
  });
  const { sql, log } = served;
  const id = await enqueue(sql, 'echo', { a: 7 });
  t.match(await over(sql, id), { status: 'succeeded', result: {
    job: { id, task: 'echo', payload: { a: 7 }, attempt: 1, maxAttempts: 3, createdAt: /^\d{4}-.*Z$/ }, aborted: false,
    client: ['auth', 'dataAsAdmin', 'email', 'jobs', 'sql', 'storage'],
  } });
  t.match(log.find(({ msg }) => msg === 'echo 7'), { level: 'warn', task: 'echo', job: id });
  t.match(await done(sql, 'nothing'), { status: 'succeeded', result: null });
  t.match(await done(sql, 'counts', 1), { status: 'succeeded', result: 2 });
  t.match(await over(sql, await enqueue(sql, 'fails')), { status: 'failed', attempts: 2, last_error: 'attempt 2 of 2' });
  t.match(log.map(({ msg }) => msg).filter(msg => msg.startsWith('jobs/')), [/^jobs\/lib is not loaded: a folder/]);
});

test('the service client works in a job', async t => {
  const { sql, mailbox } = await serveProject(t, {
    'jobs/client.ts': `
      import { ApiError } from 'rowgate/functions';
      export default async (job, { rowgate }) => {
        const tags = rowgate.dataAsAdmin.collection('tags');
        const made = await tags.create({ name: 'of a job' });
        const [{ n }] = await rowgate.sql('select count(*)::int as n from tags where name = $1', { params: ['of a job'] });
        const next = await rowgate.jobs.enqueue('mail', { to: 'ada@example.com' });
        const refused = await tags.findById(-1).catch(error => error instanceof ApiError && error.code);
        return { made: made.name, n, counted: await tags.count({ name: 'of a job' }), next: typeof next, refused };
      };`,
    'jobs/mail.ts': `export default ({ payload }, { rowgate }) =>
      rowgate.email.send({ to: payload.to, subject: 'Hello', html: '<p>x</p>' });`,
  });
  t.match(await done(sql, 'client'), { status: 'succeeded', result: {
    made: 'of a job', n: 1, counted: 1, next: 'string', refused: 'NOT_FOUND' } });
  t.match(await until('the mail was sent', async () => (await mailbox?.list())?.[0]), { subject: 'Hello' });
});

test('what a handler does wrong fails its attempt, and others are done all the same', async t => {
  const served = await serveProject(t, {
    'jobs/bad.js': `
      const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
      const ways = {
        exit: () => process.exit(0),
        timer: async () => { setTimeout(() => { throw new Error('in a timer'); }, 5); await sleep(60_000); },
        heap: () => { const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length)); },
        circular: () => { const a = {}; a.a = a; return a; },
        long: () => 'x'.repeat(2_000_000),
        large: () => 'x'.repeat(900_000),
        thrown: () => { throw 'a text'; },
      };
      export default ({ payload }) => ways[payload]();`,
    'jobs/good.js': 'export default () => "good";',
  });
  const { sql, request } = served;
  for (const [way, row] of Object.entries({
    exit: { status: 'failed', last_error: /^A worker of jobs and schedules ended with exit code 0\.$/ },
    timer: { status: 'failed', last_error: /^A worker of jobs and schedules ended with exit code 1\.$/ },
    heap: { status: 'failed', last_error: /^A worker of jobs and schedules (took more than 256 MB of memory|ended with SIGABRT)\.$/ },
    circular: { status: 'failed', last_error: /^Its result is no JSON: / },
    long: { status: 'failed', last_error: 'Its result is longer than 1048576 characters.' },
    large: { status: 'succeeded' },
    thrown: { status: 'failed', last_error: 'Thrown: a text' },
  })) {
    t.match(await done(sql, 'bad', way), row, way);
    t.match(await done(sql, 'good'), { status: 'succeeded', result: 'good' }, `after ${way}`);
    t.equal((await request('/data/products?limit=1')).status, 200);
  }
});

test('a handler that outlives its time has failed: told to end it may, else its worker is ended', async t => {
  const served = await serveProject(t, {
    'jobs/obeys.ts': `export default { timeoutSeconds: 0.3, handler: (job, { signal }) => new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => { console.log('told', signal.reason.name); reject(new Error('its own words')); }); }) };`,
    'jobs/stops.ts': `export default { timeoutSeconds: 0.3, handler: (job, { signal }) => new Promise(resolve => {
      signal.addEventListener('abort', () => { console.log('stopped'); resolve('half of it'); }); }) };`,
    'jobs/ignores.ts': 'export default { timeoutSeconds: 0.3, handler: () => new Promise(() => {}) };',
    'jobs/spins.ts': 'export default { timeoutSeconds: 0.3, handler: () => { for (;;); } };',
    'jobs/good.js': 'export default () => "good";',
  });
  const { sql, log } = served;
  for (const [name, said] of [['obeys', /^told AbortError$/], ['stops', /^stopped$/]] as const) {
    t.match(await done(sql, name), { status: 'failed', last_error: 'It took longer than 0.3 s.' });
    t.ok(await heard(served, said));
  }
  t.notOk(log.some(({ msg }) => msg.includes('Another one takes its place')), 'their worker goes on');
  for (const name of ['ignores', 'spins']) {
    t.match(await done(sql, name), { status: 'failed', last_error: 'It took longer than 0.3 s.' });
    t.ok(await heard(served, new RegExp(`jobs/${name} went on after its signal was aborted. Another one takes its place`)));
    t.match(await done(sql, 'good'), { status: 'succeeded' });
  }
});

test('a cancelled job has its signal aborted', async t => {
  const served = await serveProject(t, {
    'jobs/waits.ts': `export default (job, { signal }) => new Promise((resolve, reject) => {
      console.log('waits'); signal.addEventListener('abort', () => { console.log('was told'); reject(signal.reason); }); });`,
  });
  const id = await enqueue(served.sql, 'waits');
  await heard(served, /^waits$/);
  await served.sql`select service.job_cancel(${id}::text::uuid)`;
  t.ok(await heard(served, /^was told$/));
  t.match(await rowOf(served.sql, id), { status: 'failed', attempts: 1 });
});

test('a shutdown gives back what does not end, and its attempt does not count', async t => {
  const served = await serveProject(t, {
    'jobs/waits.ts': 'export default () => { console.log("waits"); return new Promise(() => {}); };',
  });
  const id = await enqueue(served.sql, 'waits');
  await heard(served, /^waits$/);
  await served.close();
  t.match(await rowOf(served.sql, id), { status: 'pending', attempts: 0 });
});

test('files that cannot be used are named with the reason, and their jobs wait', async t => {
  const { log, sql } = await serveProject(t, {
    'jobs/enum.ts': 'enum A { B } export default () => A.B;', 'jobs/none.ts': 'export const a = 1;', 'jobs/number.ts': 'export default 5;',
    'jobs/throws.ts': 'throw new Error("not today");', 'jobs/key.ts': 'export default { handler() {}, maxAttempt: 2 };',
    'jobs/many.ts': 'export default { handler() {}, maxAttempts: Infinity, timeoutSeconds: 0 };',
    'jobs/promise.ts': 'export default Promise.resolve(1)',
    'jobs/service.webhook.ts': 'export default () => "mine";', 'jobs/good.ts': 'export default () => 1;', 'jobs/other.mts': '',
    'jobs/index.ts': 'throw 1', 'jobs/good.test.ts': 'throw 1',
  });
  const reasons = Object.fromEntries(log.flatMap(({ msg }) => {
    const [, file, reason] = /^jobs\/(\S+) is not loaded: (.*)$/.exec(msg) ?? [];
    return file === undefined ? [] : [[file, reason]];
  }));
  t.match(reasons, {
    'enum.ts': /enum is not supported/, 'none.ts': /no default export/, 'number.ts': /neither a function nor an object with a handler/,
    'throws.ts': /not today/, 'key.ts': /^maxAttempt: unknown key/,
    'many.ts': /^maxAttempts: must be an integer; timeoutSeconds: must be > 0/,
    'promise.ts': /neither a function/, 'service.webhook.ts': /must not begin with service\./, 'other.mts': /only \.ts and \.js/,
  });
  t.equal(Object.keys(reasons).length, 9);
  const id = await enqueue(sql, 'none');
  t.match(await done(sql, 'good'), { status: 'succeeded' });
  t.match(await rowOf(sql, id), { status: 'pending', attempts: 0 });
});

test('a task of a file and of the settings file stops the start', async t => {
  const { folder } = projectFolder(t, {
    'jobs/mail.ts': 'export default () => 1;', 'rowgate.json': JSON.stringify({ jobs: { tasks: { mail: { function: 'app.mail' } } } }),
  });
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`create schema app; grant usage on schema app to service_user;
    create function app.mail(job jsonb) returns jsonb language sql as 'select job'`).simple();
  await t.rejects(openService(url, foldersIn(folder)), {
    name: 'BootError', message: new RegExp(`^jobs\\.tasks\\.mail of the settings file and ${folder}/jobs/mail\\.ts do the same task`),
  });
});

test('two gateways never do a job twice', async t => {
  const served = await serveProject(t, { 'jobs/note.ts': `export default async ({ payload }, { rowgate }) => {
    await rowgate.sql('insert into public.noted (n) values ($1)', { params: [payload] }); };` });
  await served.sql`create table public.noted (n integer)`;
  const other = await openService(served.url, { ...foldersIn(served.folder), SERVICE_SOURCE: 'tables' });
  t.teardown(other.close);
  await served.sql`select service.enqueue('note', to_jsonb(n)) from generate_series(1, 300) n`;
  await until('all are done', async () => (await served.sql`select from service.jobs where status = 'succeeded'`).length === 300);
  t.same(await served.sql`select n from public.noted group by n having count(*) > 1`, []);
  t.equal((await served.sql`select from public.noted`).length, 300);
});

for (const env of [{ SERVICE_WORKERS: '2', DB_POOL_MAX: '16' }, { SERVICE_ROLE: 'worker', DB_POOL_MAX: '10' }]) {
  test(`the process that runs jobs loads their files once, reads and writes rows, and ends with them: ${Object.keys(env)[0]}`, async t => {
    const { folder } = projectFolder(t, {
      'jobs/rows.ts': `console.log('loaded ' + process.pid);
        export default async (job, { rowgate }) => {
          const notes = rowgate.dataAsAdmin.collection('notes');
          await notes.create({ id: 1, text: 'of a job' });
          return [process.env.JWT_SECRET ?? 'no secret', await notes.count(), await notes.findById(1)];
        };`,
      'jobs/waits.ts': 'export default () => new Promise(() => {});',
      'rowgate.json': '{}',
    });
    const { url, sql } = await createDatabase(t, { template: 'served' });
    await sql.unsafe(`create table notes (id integer primary key, text text); grant select, insert on notes to service_user;
      alter table notes enable row level security; create policy everything on notes using (true)`).simple();
    const gateway = startGateway(t, {
      ...foldersIn(folder), DATABASE_URL: url, SERVICE_SOURCE: 'tables', ...env });
    await addressOf(gateway);
    t.match(await done(sql, 'rows'), { status: 'succeeded', result: ['no secret', 1, { id: 1, text: 'of a job' }] });
    const id = await enqueue(sql, 'waits');
    await until('it runs', async () => (await rowOf(sql, id))?.status === 'running');
    gateway.process.kill('SIGTERM');
    t.equal((await gateway.ended).code, 0);
    t.match(await rowOf(sql, id), { status: 'pending', attempts: 0 });
    const pids = [...gateway.output().matchAll(/loaded (\d+)/g)].map(([, pid]) => Number(pid));
    t.ok(pids.length > 0 && pids.length <= 2, `${pids.length} processes`);
    for (const pid of pids) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });
}

test('a start that runs no jobs loads no file of them', async t => {
  const files = { 'jobs/tells.ts': 'console.log("loaded"); export default () => 1;' };
  const loads = async (env: Record<string, string>) => (await serveProject(t, files, {}, env)).log.some(({ msg }) => msg === 'loaded');
  t.equal(await loads({}), true);
  t.equal(await loads({ SERVICE_JOB_WORKERS: 'false' }), false);
});
