// Rows name files by any text. A row that goes takes no file with it but one of its own property that its writer could have deleted.
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PutObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { test, type Test } from 'tap';
import { openLocalStore } from '../../gateway/blobs/local/local-store.ts';
import type { RemoteStore } from '../../gateway/blobs/s3/store.ts';
import type { Store } from '../../gateway/blobs/store.ts';
import { tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { remoteStoreOf, s3Client, startSwift } from '../harness/swift.ts';
import { projectOf, settings } from '../storage/asked.ts';
import { serveFiles, type Files } from '../storage/files.ts';

const id = { type: 'number', isId: 'increment' };
const text = { type: 'string' };
const file = (storagePath: string, more: object = {}) => ({ ...text, storage: { storagePath, cleanup: true, ...more } });
const open = [{ operation: 'all', access: 'public' }];
const owned = [
  { operations: ['select', 'insert', 'delete'], access: 'public' },
  { operation: 'update', using: '{owner} = service.uid()', withCheck: 'true' },
];
const COLLECTIONS = [
  { slug: 'papers', properties: {
    id, owner: text, note: text, home: file('home/{path}'), scans: { type: 'array', of: file('home/{path}') },
    sheet: file('sheets/{entityId}'), cover: file('covers/{entityId}'), shown: file('shown', { public: true }),
    elsewhere: file('home/{path}', { bucket: 'other' }),
  }, securityRules: owned },
  { slug: 'albums', properties: { id, owner: text }, securityRules: owned },
  { slug: 'photos', properties: { id, album: { type: 'number' }, film: file('home/{path}') }, securityRules: open },
  { slug: 'named', properties: { id: { ...text, isId: 'manual' }, sheet: file('sheets/{entityId}') }, securityRules: open },
];
const SETUP = `
  create schema app; grant usage on schema app to service_user;
  create function app.is_own_home(request jsonb) returns boolean language sql stable as $$
    select request #>> '{params,uid}' = (select service.uid()) or (select service.uid()) ~ '^(service|api-key:.*)$' $$;
  create function app.may(request jsonb) returns boolean language plpgsql as $$ begin
    if request ->> 'key' like '%locked%' then raise exception 'It is locked.'; end if;
    return true; end $$;`;
const storage = {
  authorize: 'app.may',
  policies: [
    { path: 'home/:uid/**', allow: { function: 'app.is_own_home' } },
    { path: 'covers/:id/**', allow: { row: 'papers', id: 'id' } },
    ...['sheets', 'public', 'inbox'].map(path => ({ path: `${path}/**`, allow: 'authenticated' as const })),
  ],
};

type Disk = {
  put: (key: string, bucket?: string) => Promise<void>;
  has: (key: string, bucket?: string) => Promise<boolean>;
  scheme: string; bucket: string;
  store: Store;
  /** Milliseconds after which a stored file is older than a row, by the clock of the store. */
  rest: number;
};
/** By what a row names, what of it must be gone afterwards, and what must be there. `~` stands for the id of the row. */
type Case = { what: string; property?: string; value: string; goes?: string[]; stays?: string[]; bucket?: string };

/** As ada, who may delete below `home/ada` and whatever is in `sheets`, `public` and `inbox`. */
const casesOf = ({ scheme, bucket }: Disk): Case[] => [
  { what: 'her own file', value: 'home/ada/1', goes: ['home/ada/1'] },
  { what: 'a slash before it', value: '/home/ada/2', goes: ['home/ada/2'] },
  { what: 'a storageUrl', value: `${scheme}://${bucket}/home/ada/3`, goes: ['home/ada/3'] },
  { what: 'one place of a list', property: 'scans', value: 'home/ada/4', goes: ['home/ada/4'] },
  { what: 'a file of its row', property: 'sheet', value: 'sheets/~/1', goes: ['sheets/~/1'] },
  { what: 'a file of its row, whose policy asks the row', property: 'cover', value: 'covers/~/1', goes: ['covers/~/1'] },
  { what: 'a public file', property: 'shown', value: 'public/shown/1', goes: ['public/shown/1'] },
  { what: "another's file", value: 'home/bob/1', stays: ['home/bob/1'] },
  { what: "another's file by its storageUrl", value: `${scheme}://${bucket}/home/bob/2`, stays: ['home/bob/2'] },
  { what: "another's file in a list", property: 'scans', value: 'home/bob/3', stays: ['home/bob/3'] },
  { what: 'a file that the authorizer keeps', value: 'home/ada/locked', stays: ['home/ada/locked'] },
  { what: 'a file of another row', property: 'sheet', value: 'sheets/77/1', stays: ['sheets/77/1'] },
  { what: 'a file of another row whose id begins alike', property: 'sheet', value: 'sheets/~0/1', stays: ['sheets/~0/1'] },
  { what: 'a path of no property, where she may delete', value: 'inbox/1', stays: ['inbox/1'] },
  { what: 'a file that is not public', property: 'shown', value: 'shown/2', stays: ['shown/2'] },
  { what: 'a bucket that the value names', value: `${scheme}://elsewhere/home/ada/5`, bucket: 'elsewhere', stays: ['home/ada/5'] },
  { what: 'a dot segment', value: 'home/ada/./6', stays: ['home/ada/6'] },
  { what: 'an empty segment', value: 'home/ada//7', stays: ['home/ada/7'] },
  { what: 'two slashes before it', value: '//home/ada/8', stays: ['home/ada/8'] },
  { what: 'a slash after it', value: 'home/ada/9/', stays: ['home/ada/9'] },
  { what: 'up and down again', value: 'home/ada/../bob/4', stays: ['home/bob/4'] },
  { what: 'up with a backslash', value: 'home/ada/..\\..\\bob/5', stays: ['home/bob/5'] },
  { what: 'up in a storageUrl', value: `${scheme}://${bucket}/home/ada/../bob/6`, stays: ['home/bob/6'] },
  { what: 'percent-encoding', value: 'home/ada%2F..%2Fbob/7', stays: ['home/bob/7'] },
  { what: 'the service itself', value: '_service/renditions/1.webp', stays: ['_service/renditions/1.webp'] },
  { what: 'the service itself in capitals', value: '_SERVICE/renditions/2.webp', stays: ['_SERVICE/renditions/2.webp'] },
];

/** Files that a row may name on a disk, in its buckets and outside. */
const DISK: Case[] = [
  { what: 'beside the root', value: 'home/ada/../../../../uploads-media/1', stays: ['../../uploads-media/1'] },
  { what: 'beside the root, with its name before', value: '../../uploads-media/2', stays: ['../../uploads-media/2'] },
  { what: 'a resumable upload', value: '../.tus-uploads/1', stays: ['../.tus-uploads/1'] },
  { what: 'a resumable upload as a bucket', value: 'local://.tus-uploads/home/ada/1', bucket: '.tus-uploads', stays: ['home/ada/1'] },
  { what: 'the bucket ..', value: 'local://../home/ada/2', bucket: '..', stays: ['home/ada/2'] },
  { what: 'its own bucket', property: 'elsewhere', value: 'home/ada/10', bucket: 'other', goes: ['home/ada/10'] },
  {
    what: 'its own bucket by a storageUrl', property: 'elsewhere', value: 'local://other/home/ada/11', bucket: 'other',
    goes: ['home/ada/11'],
  },
  { what: 'the default bucket from another', property: 'elsewhere', value: 'local://default/home/ada/12', stays: ['home/ada/12'] },
];

async function attacked(t: Test, service: Files, disk: Disk, cases: Case[]): Promise<void> {
  const { sql, request } = service;
  const [ada] = [await tokenFor('ada')];
  const paper = async (property: string, value: string, more: object = {}) => {
    const [{ id }] = await sql`insert into papers (owner) values ('ada') returning id` as unknown as [{ id: number }];
    const named = value.replaceAll('~', String(id));
    await sql`update papers set ${sql({ ...more, [property]: property === 'scans' ? [named] : named })} where id = ${id}`;
    return id;
  };
  const settled = async () => {
    await until('no job is left', async () => (await sql`select from service.jobs where status in ('pending', 'running')`).length === 0);
    t.same(await sql`select payload, last_error from service.jobs where status = 'failed' or last_error is not null`, []);
  };
  const checked = async (made: { id: number; one: Case }[], how: string) => {
    await settled();
    for (const { id, one: { what, goes = [], stays = [], bucket } } of made) {
      for (const key of [...goes, ...stays]) {
        t.equal(await disk.has(key.replaceAll('~', String(id)), bucket), stays.includes(key), `${how}: ${what}`);
      }
    }
  };
  const made = async () => {
    const rows = [];
    for (const one of cases) {
      const id = await paper(one.property ?? 'home', one.value);
      for (const key of [...one.goes ?? [], ...one.stays ?? []]) await disk.put(key.replaceAll('~', String(id)), one.bucket);
      rows.push({ id, one });
    }
    await delay(disk.rest);
    return rows;
  };

  const deleted = await made();
  for (const { id } of deleted) t.equal((await request(`/data/papers/${id}`, { method: 'DELETE', as: ada })).status, 204);
  await checked(deleted, 'deleted');
  const updated = await made();
  for (const { id, one: { property = 'home' } } of updated) {
    t.equal((await request(`/data/papers/${id}`, { method: 'PATCH', as: ada, body: JSON.stringify({ [property]: null }) })).status, 200);
  }
  await checked(updated, 'updated');
  const unasked = await made();
  await sql`delete from papers`;
  const asOwner = (one: Case): Case => /another's|authorizer/.test(one.what) ? { ...one, stays: [], goes: one.stays ?? [] } : one;
  await checked(unasked.map(({ id, one }) => ({ id, one: asOwner(one) })), 'in psql');

  await sql`truncate service.jobs`;
  for (const one of cases.filter(({ goes }) => goes === undefined)) {
    if (/another's|authorizer|another row|from another/.test(one.what)) continue;
    const [, bucket = 'default', key = one.value] = /^\w+:\/\/(.*?)\/(.*)$/.exec(one.value) ?? [];
    await sql`insert into service.jobs (task, payload)
      values ('service.storage_remove', ${sql.json({ storageId: '(default)', bucket, key })})`;
  }
  await checked(unasked.filter(({ one: { what, goes } }) =>
    goes === undefined && !/another's|authorizer|another row|from another/.test(what)), 'left in the queue');
}

async function writers(t: Test, service: Files, disk: Disk): Promise<void> {
  const { sql, request } = service;
  const ada = await tokenFor('ada');
  const body = JSON.stringify({ name: 'x', scopes: ['data:write', 'data:delete', 'data:read'] });
  const { key: plain } = (await request('/admin/api-keys', { method: 'POST', body })).body.key as { key: string };
  const { key: full } = (await request('/admin/api-keys', { method: 'POST', body: body.replace('data:read',
    'data:read","storage:delete') })).body.key as { key: string };
  await sql`alter table photos alter album type int, add foreign key (album) references albums on delete cascade`;
  await sql.unsafe(`
    create function app.clear(note text) returns boolean language sql security definer as $$ delete
    from public.papers where note = clear.note returning true $$;
    create function app.clear_after() returns trigger language plpgsql security definer as $$
    begin delete from public.papers where note = old.owner; return null; end $$;
    create trigger zz_clear after delete on albums for each row execute function app.clear_after();
    create role clerk_${process.pid}; grant delete, select on papers to clerk_${process.pid};
    create policy clerks on papers to clerk_${process.pid} using (true);`).simple();
  t.teardown(() => sql.unsafe(`drop owned by clerk_${process.pid}; drop role clerk_${process.pid}`).simple());
  const keys = [
    'ada/key', 'ada/full', 'ada/cascade', 'bob/cascade', 'ada/definer', 'bob/definer', 'ada/clerk', 'bob/clerk', 'bob/service',
    'ada/entered', 'bob/anonymous', 'bob/kept',
  ];
  for (const key of keys) await disk.put(`home/${key}`);
  for (const key of ['sheets/a:b/1', 'sheets/7/8/1', 'covers/900/1']) await disk.put(key);
  await disk.put('covers/901/1');
  await delay(disk.rest);
  await sql`insert into papers (id, owner, note, home) overriding system value values
    (1000, 'ada', '', 'home/ada/key'), (1001, 'ada', '', 'home/ada/full'), (1002, 'ada', 'def', 'home/ada/definer'),
    (1003, 'ada', 'def', 'home/bob/definer'),
    (1004, 'ada', '', 'home/ada/clerk'), (1005, 'ada', '', 'home/bob/clerk'), (1006, 'ada', '', 'home/bob/service'),
    (1007, 'ada', '', 'home/ada/entered'),
    (1008, 'ada', '', 'home/bob/anonymous'), (1009, 'bob', '', 'home/bob/kept')`;
  await sql`insert into papers (id, owner, cover) overriding system value
    values (900, 'ada', 'covers/900/1'), (901, 'bob', 'covers/901/1')`;
  await sql`insert into named values ('a:b', 'sheets/a:b/1'), ('7/8', 'sheets/7/8/1')`;
  await sql`insert into albums (id, owner) overriding system value values (1, 'def')`;
  await sql`insert into photos (album, film) values (1, 'home/ada/cascade'), (1, 'home/bob/cascade')`;

  const remove = async (path: string, as: string | null) =>
    t.equal((await request(`/data/${path}`, { method: 'DELETE', ...(as !== 'service' && { as }) })).status, 204, path);
  await remove('papers/1000', plain);
  await remove('papers/1001', full);
  await remove('albums/1', ada);
  await sql`delete from named`;
  await remove('papers/1006', 'service');
  await remove('papers/900', ada);
  await remove('papers/901', ada);
  await sql.begin(async transaction => {
    await transaction.unsafe(`set local role clerk_${process.pid}`);
    await transaction`delete from papers where id in (1004, 1005)`;
  });
  const unentered = sql.begin(async transaction => {
    await transaction`set local role service_user`;
    return transaction`delete from papers where id = 1007 returning id`;
  });
  t.same(await unentered, [{ id: 1007 }], 'its policies are for all');
  t.same(await sql.begin(async transaction => {
    await transaction`set local role service_user`;
    return transaction`select service_private.put_release('{"storageId": "(default)", "bucket": "default", "key": "home/bob/kept"}')
      is null as none`;
  }), [{ none: false }]);
  await remove('papers/1008', null).catch(() => undefined);

  await until('no job is left', async () => (await sql`select from service.jobs where status in ('pending', 'running')`).length === 0);
  const there = async (...keys: string[]) => (await Promise.all(keys.map(async key => await disk.has(key) ? [key] : []))).flat();
  t.same(await there(...keys.map(key => `home/${key}`), 'sheets/a:b/1', 'sheets/7/8/1', 'covers/900/1', 'covers/901/1'), [
    'home/ada/key', // the key has no storage:delete
    'home/bob/cascade', 'home/bob/definer', // within the request of ada
    'home/ada/entered', // no request, and the end-user role
    'home/bob/anonymous', 'home/bob/kept',
    'sheets/7/8/1', // an id of two segments reaches into the files of row 7
    'covers/901/1', // she may delete the row, and may not change it
  ]);
}

const serve = (t: Test, env: Record<string, string> = {}) =>
  serveFiles(t, { setup: SETUP, env: { ...projectOf(t, ...COLLECTIONS), ...settings(t, { storage }), AUTH_REQUIRE: 'false', ...env } });

test('a row takes no file with it that its writer could not delete, on a disk', async t => {
  const parent = mkdtempSync(join(tmpdir(), 'cleanup-'));
  t.teardown(() => { rmSync(parent, { recursive: true }); });
  const root = join(parent, 'uploads');
  const at = (key: string, bucket = 'default') => join(root, bucket, key);
  const disk: Disk = {
    scheme: 'local', bucket: 'default', rest: 0, store: await openLocalStore({ path: root, cleans: false }),
    put(key, bucket) {
      mkdirSync(dirname(at(key, bucket)), { recursive: true });
      writeFileSync(at(key, bucket), key);
      const before = new Date(Date.now() - 2_000); // a time without milliseconds, one in a thousand, may mean any moment of its second
      utimesSync(at(key, bucket), before, before);
      return Promise.resolve();
    },
    has: (key, bucket) => Promise.resolve(existsSync(at(key, bucket))),
  };
  const service = await serve(t, { STORAGE_PATH: root });
  await attacked(t, service, disk, [...casesOf(disk), ...DISK]);
  await writers(t, service, disk);
});

const swift = await startSwift().catch((error: unknown) => error as Error);

test('a row takes no object with it that its writer could not delete, in a bucket', {
  skip: swift instanceof Error && swift.message,
}, async t => {
  if (swift instanceof Error) return;
  const bare = s3Client(swift.env);
  const disk: Disk = {
    scheme: 's3', bucket: 'media', rest: 2_100, store: remoteStoreOf(swift), // it tells whole seconds, and rounds up
    async put(key) { await bare.send(new PutObjectCommand({ Bucket: 'media', Key: key, Body: key })); },
    has: key => bare.send(new HeadObjectCommand({ Bucket: 'media', Key: key })).then(() => true, () => false),
  };
  t.teardown(async () => {
    (disk.store as RemoteStore).close();
    bare.destroy();
    await swift.stop();
  });
  const service = await serve(t, swift.env);
  await attacked(t, service, disk, casesOf(disk));
  await writers(t, service, disk);
});
