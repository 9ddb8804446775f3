import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import tap, { test, type Test } from 'tap';
import type { Handler } from '../../gateway/features/job.ts';
import { openLocalStore } from '../../gateway/blobs/local/local-store.ts';
import { removeUnnamed, REMOVE_UNNAMED } from '../../gateway/features/storage/remove-unnamed.ts';
import { createFairExecutor } from '../../gateway/database/fair-executor.ts';
import { runCommand } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { provisionOnly } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startWorker } from '../jobs/worker.ts';
import { projectOf } from './asked.ts';

const id = { type: 'number', isId: 'increment' };
const file = (more: object = {}) => ({ type: 'string', storage: { storagePath: 'files', cleanup: true, ...more } });
const open = [{ operation: 'all', access: 'public' }];
const posts = {
  slug: 'posts', softDelete: true, securityRules: open, properties: {
    id, title: { type: 'string' }, deletedAt: { type: 'date' },
    cover: file(), url: file({ storeUrl: true }), 'the "file"': { ...file(), columnName: 'by' },
    photos: { type: 'array', of: file() },
    blocks: { type: 'array', of: { type: 'map', properties: { 'im"age': file(), note: { type: 'string' } } } },
    body: { type: 'array', oneOf: { properties: { text: { type: 'string' }, film: file() } } },
  },
};
const below = (...names: string[]) => names.map(name => `files/${name}`);
/** Names files, and lets go of none. */
const albums = {
  slug: 'albums', securityRules: open,
  properties: { id, cover: { type: 'string', storage: {} }, posts: { type: 'relation', relation: { kind: 'hasMany', target: 'posts' } } },
};

const reels = { slug: 'reels', properties: { id, film: { type: 'string', storage: { storagePath: 'reels/{entityId}' } } } };

const { sql, url } = await createDatabase(tap, { template: 'served' });
await provisionOnly(url, projectOf(tap, posts, albums, reels));

/** Rows that are written outside a request name no caller whom the job would ask about. */
const unused = { run: () => Promise.reject(new Error('It is asked about nobody.')) };

const away: Handler = { run: () => Promise.reject(new Error('The store is away.')) };

/** Empty each time. */
async function library(t: Test) {
  await sql`truncate posts, albums, reels, service.jobs restart identity`;
  const ask = createFairExecutor(() => sql, { size: 1, deadline: 5_000 });
  const path = mkdtempSync(join(tmpdir(), 'objects-'));
  t.teardown(() => { rmSync(path, { recursive: true }); });
  const store = await openLocalStore({ path, cleans: true });
  const storeOne = async (key: string): Promise<void> => {
    const intake = await store.intake({ bucket: 'default', key }, { contentType: 'text/plain', custom: {} });
    await intake.write(Buffer.from(key));
    await intake.finish();
    // A time in whole seconds is taken for any moment of that one.
    if ((await store.info({ bucket: 'default', key }))?.modified.getMilliseconds() === 0) await storeOne(key);
  };
  const put = async (...keys: string[]) => {
    for (const key of keys) await storeOne(key);
    await delay(20); // what is let go of within ten milliseconds could be a file that was stored after that
  };
  const there = async (...keys: string[]) =>
    (await Promise.all(keys.map(async key => await store.info({ bucket: 'default', key }) ? [key] : []))).flat();
  const removal = removeUnnamed({ ask, lane: unused, storeOf: source => source === '(default)' ? store : undefined });
  /** Until nothing is to be done. */
  const work = async (handler: Handler = removal) => {
    const worker = await startWorker(t, { sql, url }, { [REMOVE_UNNAMED]: handler });
    await until('no job is due', async () => (await sql`
      select from service.jobs
      where (status = 'pending' and run_at <= clock_timestamp()) or (status = 'running' and locked_by <> 'gone') limit 1`).length === 0);
    await worker.close(5_000);
  };
  const jobs = async () => (await sql`select payload ->> 'key' as key, status, attempts, last_error
    from service.jobs where status <> 'succeeded' order by 1`).map(row => ({ ...row }));
  return { put, there, work, jobs, path };
}

test('a file that no row names any more goes, wherever it was named', async t => {
  const { put, there, work, jobs } = await library(t);
  const keys = below('cover', 'url', 'by', 'p1', 'p2', 'b1', 'b2', 'film', 'text');
  t.same(await sql`select target, statement from service.provision_plan() where statement is not null`, [], 'it is made once');
  await put(...keys, 'files/other');
  await sql`insert into posts (cover, url, by, photos, blocks, body) values ('files/cover', 'local://default/files/url', '/files/by',
    '{files/p1,files/p2}', '[{"im\\"age": "files/b1", "note": "files/other"}, {"im\\"age": "files/b2"}, {"im\\"age": null}]',
    '[{"type": "film", "value": "files/film"}, {"type": "text", "value": "files/text"}]'), (null, '', null, null, null, null)`;
  await sql`update posts set title = 'x', deleted_at = now()`;
  await work();
  t.same([await there(...keys), await jobs()], [keys, []], 'whoever is in the trash names its files');
  await sql`update posts set cover = 'new', photos = '{files/p2,files/p3}', blocks = '[{"im\\"age": "files/b2"}]' where id = 1`;
  await work();
  t.same(await there(...keys), below('url', 'by', 'p2', 'b2', 'film', 'text'));
  await sql`delete from posts`;
  await work();
  t.same([await there(...keys, 'files/other'), await jobs()], [below('text', 'other'), []]);
});

test('one that another row names stays, by whatever name', async t => {
  const { put, there, work } = await library(t);
  const keys = below('a', 'b', 'c', 'd', 'e');
  await put(...keys);
  await sql`insert into posts (cover) select unnest(${keys}::text[])`;
  await sql`insert into posts (url, photos, blocks) values ('local://default/files/a', '{files/b}', '[{"im\\"age": "/files/c"}]')`;
  await sql`insert into albums (cover) values ('files/d')`;
  await sql`delete from posts where cover is not null`;
  await work();
  t.same(await there(...keys), below('a', 'b', 'c', 'd'));
});

test('a rollback keeps its files, and so does a concurrent new upload', async t => {
  const { put, there, work, jobs } = await library(t);
  await put(...below('a', 'b'));
  await sql`insert into posts (cover) values ('files/a'), ('files/b')`;
  const undone = new Error('undone');
  await sql.begin(async transaction => {
    await transaction`delete from posts where cover = 'files/a'`;
    throw undone;
  }).catch((error: unknown) => { if (error !== undone) throw error; });
  await sql`delete from posts where cover = 'files/b'`;
  await put('files/b');
  await work();
  t.same([await there(...below('a', 'b')), await jobs()], [below('a', 'b'), []]);
});

test('a store that is away is asked again, and claims of dead processes are taken over', async t => {
  const { put, there, work, jobs } = await library(t);
  await put('files/a');
  await sql`insert into posts (cover) values ('files/a')`;
  await sql`delete from posts`;
  await work(away);
  t.same(await jobs(), [{ key: 'files/a', status: 'pending', attempts: 1, last_error: 'The store is away.' }]);
  await work();
  t.same(await there('files/a'), ['files/a'], 'it is not due');
  await sql`update service.jobs set run_at = now()`;
  const [claimed] = await sql`select id from service.job_claim(1, 'gone', '{service.storage_remove}')`;
  await sql`insert into posts (cover) values ('files/a')`;
  await sql`delete from posts`;
  t.equal((await jobs()).length, 1, 'what is under way is not to be done twice');
  await work();
  t.same(await there('files/a'), ['files/a']);
  t.same(await sql`select service.job_reap(60000) as reaped`, [{ reaped: 0 }]);
  await sql`update service.jobs set locked_at = now() - interval '2 minutes'`;
  t.same(await sql`select service.job_reap(60000) as reaped`, [{ reaped: 1 }]);
  t.same(await sql`select service.job_complete(${claimed?.['id'] as string}, '{"workerId": "gone", "attempt": 2}') as done`,
    [{ done: false }], 'its claim is gone');
  await work();
  t.same([await there('files/a'), await jobs()], [[], []]);
  await sql`insert into posts (cover) values ('files/b')`;
  await sql`delete from posts`;
  await sql`update service.jobs set max_attempts = 1 where status = 'pending'`;
  await work(away);
  t.match(await jobs(), [{ key: 'files/b', status: 'failed' }]);
  t.same(await sql`select service.job_retry(id) as retried from service.jobs where status = 'failed'`, [{ retried: true }]);
  await work();
  t.same(await jobs(), []);
});

test('the end-user role enqueues tasks of the project, and none of the service', async t => {
  await library(t);
  const enqueue = (task: string, options: object = {}) => sql.begin(async transaction => {
    await transaction`set local role service_user`;
    return transaction`select service.enqueue(${task}, '{"a": 1}', ${JSON.stringify(options)}::text::jsonb) as id`;
  }).then(([row]) => row?.['id'] as string | null, (error: unknown) => (error as { code?: string }).code);
  t.match(await enqueue('mail', { idempotencyKey: 'k', delayMs: 60_000 }), /^[0-9a-f-]{36}$/);
  t.equal(await enqueue('mail', { idempotencyKey: 'k' }), null);
  t.same([await enqueue('service.storage_remove'), await enqueue('')], ['GW400', 'GW400']);
  t.same(await sql`select task, payload, max_attempts, run_at > now() + interval '50 s' as later from service.jobs`,
    [{ task: 'mail', payload: { a: 1 }, max_attempts: null, later: true }]);
});


test('the command line finds orphaned files below the paths of properties', async t => {
  const { put, there, path } = await library(t);
  const keys = ['reels/1/kept', 'reels/1/lost', 'reels/2/named', 'reels/2/by-url', 'reels/deep/er/not', 'else', 'home/a'];
  await put(...keys);
  await sql`insert into reels (film) values ('reels/1/kept'), ('/reels/2/named'), ('local://default/reels/2/by-url')`;
  const orphans = (...flags: string[]) => runCommand(t, ['storage', 'orphans', ...flags], { DATABASE_URL: url, STORAGE_PATH: path });
  t.match(await orphans(), { code: 0, output: '0 files that no row names: 0 bytes.\n' }, 'whoever uploads first has a day to say what for');
  t.match(await orphans('--older-than', '0'),
    { code: 0, output: /^\(default\) {2}reels\/1\/lost {2}12 bytes, of \S+Z\n1 file that no row names: 12 bytes\.\n$/ });
  t.equal((await there(...keys)).length, keys.length);
  const { output } = await orphans('--older-than', '0', '--delete', '--json');
  t.match(JSON.parse(output), [{ source: '(default)', key: 'reels/1/lost', size: 12 }]);
  t.same(await there(...keys), keys.filter(key => key !== 'reels/1/lost'));
  t.match(await orphans('--older-than', 'a day'), { code: 1 });
});

test('a property that no longer says so lets go of nothing', async t => {
  await library(t);
  const triggers = () => sql`select from pg_trigger where tgname = '_905_files' and tgrelid = 'posts'::regclass`;
  t.equal((await triggers()).length, 1);
  await provisionOnly(url, projectOf(t, JSON.parse(JSON.stringify(posts).replaceAll('"cleanup":true', '"cleanup":false')) as typeof posts));
  t.equal((await triggers()).length, 0);
  await sql`insert into posts (cover) values ('files/a')`;
  await sql`delete from posts`;
  t.same(await sql`select from service.jobs`, []);
});
