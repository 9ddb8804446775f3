import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { test } from 'tap';
import { askAccounts } from '../../gateway/identity/accounts.ts';
import { openLocalStore } from '../../gateway/objects/local/local-store.ts';
import { sweep } from '../../gateway/surfaces/storage/tus/sweep.ts';
import { askUploads } from '../../gateway/surfaces/storage/tus/uploads.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { type Files, lendFiles, refusal } from './files.ts';
import { begin, offsetOf, piece } from './tus-client.ts';

const ids = async ({ sql }: Files) => (await sql<{ key: string }[]>`select key from service.storage_uploads order by key`).map(({ key }) => key);

test('what nobody goes on with is removed a day after it began, what is finished a day after that', async t => {
  const service = await lendFiles(t);
  const { sql, folder, database } = service;
  const uploads = askUploads(askAccounts(database.accounts, true));
  const store = await openLocalStore({ path: folder, cleans: false });
  const logged: string[] = [];
  const log = pino({}, { write: line => { logged.push(line); } });
  const sweeping = (resumableOf = () => store.uploads as typeof store.uploads | undefined) => sweep({ uploads, resumableOf, log });

  for (const key of ['fresh', 'stale', 'held', 'done', 'long-done']) {
    const id = await begin(service, 4, { key });
    await piece(service, id, 0, key.includes('done') ? 'abcd' : 'ab');
  }
  await sql`update service.storage_uploads set created_at = now() - interval '25 hours' where key <> 'fresh'`;
  await sql`update service.storage_uploads set finished_at = now() - interval '25 hours' where key = 'long-done'`;
  await sql`update service.storage_uploads set holder = gen_random_uuid(), claimant = gen_random_uuid() where key = 'held'`;
  t.equal(readdirSync(join(folder, '.tus-uploads')).length, 3);

  await Promise.all([sweeping(), sweeping()]); // two gateways
  t.same(await ids(service), ['done', 'fresh']);
  t.equal(readdirSync(join(folder, '.tus-uploads')).length, 1);
  t.equal((await service.read('long-done')).status, 200);

  await sql`update service.storage_uploads set created_at = now() - interval '25 hours', finished_at = null where key = 'fresh'`;
  const failing = { ...store.uploads, discard: () => Promise.reject(new Error('away')) };
  await sweeping(() => failing);
  t.same(await ids(service), ['done', 'fresh'], 'what a store keeps is kept');
  t.match(logged, [/could not be removed/]);
  await sweeping();
  t.same(await ids(service), ['done', 'fresh'], 'and not tried again at once');
  await sql`update service.storage_uploads set swept_at = now() - interval '6 minutes' where key = 'fresh'`;
  await sweeping(() => undefined);
  t.same(await ids(service), ['done'], 'of a source that is gone nothing can be removed');
});

test('an upload whose source is gone says so at its end', async t => {
  const service = await lendFiles(t);
  const id = await begin(service, 4, { key: 'a' });
  await piece(service, id, 0, 'ab');
  await service.sql`update service.storage_uploads set source = 'gone'`;
  t.equal(await offsetOf(service, id), 2);
  t.same((await refusal(await piece(service, id, 2, 'cd'))).slice(0, 2), [503, 'STORAGE_NOT_CONFIGURED']);
});

test('what a store refuses is kept, and tried again', async t => {
  const service = await lendFiles(t);
  const id = await begin(service, 4, { key: 'a/b' });
  await piece(service, id, 0, 'ab');
  mkdirSync(join(service.folder, 'default'), { recursive: true });
  writeFileSync(join(service.folder, 'default/a'), 'in the way');
  t.same(await refusal(await piece(service, id, 2, 'cd')), [409, 'CONFLICT']);
  const again = await fetch(new URL(new URL(id).pathname, service.address), { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  t.same(await refusal(again), [409, 'CONFLICT'], 'nobody is told that it is there');
  rmSync(join(service.folder, 'default/a'));
  t.equal((await piece(service, id, 4, '')).status, 204);
  t.equal(await (await service.read('a/b')).text(), 'abcd');

  const other = await begin(service, 4, { key: 'c' });
  await piece(service, other, 0, 'ab');
  rmSync(join(service.folder, '.tus-uploads'), { recursive: true });
  t.same(await refusal(await piece(service, other, 2, 'cd')), [502, 'STORAGE_WRITE_FAILED']);
});

test('HEAD finishes what nobody could', async t => {
  const service = await lendFiles(t);
  const id = await begin(service, 4, { key: 'a' });
  await piece(service, id, 0, 'abc');
  const [row] = await service.sql<{ id: string }[]>`select id from service.storage_uploads`;
  writeFileSync(join(service.folder, '.tus-uploads', row?.id ?? ''), 'abcd');
  await service.sql`update service.storage_uploads set received = 4`; // recorded, and then its gateway died
  t.equal(await offsetOf(service, id), 4);
  t.equal(await (await service.read('a')).text(), 'abcd');
});
