import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { type Files, lendFiles, refusal } from './files.ts';
import { sweeperOf, whole } from './sweeper.ts';
import { begin, offsetOf, piece } from './tus-client.ts';

const ids = async ({ sql }: Files) =>
  (await sql<{ key: string }[]>`select key from service.storage_uploads order by key`).map(({ key }) => key);

test('an abandoned upload is removed a day after it began, a finished one a day after that', async t => {
  const service = await lendFiles(t);
  const { sql, folder } = service;
  const { sweeping, store, logged } = await sweeperOf(service);

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
  await sweeping([{ ...store, uploads: { ...store.uploads, discard: () => Promise.reject(new Error('away')) } }]);
  t.same(await ids(service), ['done', 'fresh'], 'what a store keeps is kept');
  t.match(logged, [/could not be removed/]);
  await sweeping();
  t.same(await ids(service), ['done', 'fresh'], 'and not tried again at once');
  await sql`update service.storage_uploads set swept_at = now() - interval '6 minutes' where key = 'fresh'`;
  await sweeping([]);
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

test('an upload that a store refuses is kept, and tried again', async t => {
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

test('a complete upload without a client is finished, unless another file has been stored there since', async t => {
  const service = await lendFiles(t);
  const { sql } = service;
  const { sweeping, store, holders, logged, told } = await sweeperOf(service);
  const of = async (key: string) => { const answer = await service.read(key); return answer.ok ? answer.text() : answer.status; };
  const id = await whole(service, 'a');
  await service.upload('older', 'older');
  await whole(service, 'older');
  const replaced = await whole(service, 'replaced');
  await service.upload('replaced', 'newer');
  const made = await whole(service, 'made');
  await store.uploads.complete({
    ...store.uploads.begin(made, { bucket: 'default', key: 'made' }, { contentType: 'text/plain', custom: {} }, 4), offset: 4,
  });
  await sweeping();
  t.same(told, [], 'whoever has just sent it may be heard of yet');
  const later = () => sql`update service.storage_uploads set swept_at = swept_at - interval '6 minutes'`;
  await later();
  await whole(service, 'fresh');
  const unfinished = async () =>
    (await sql<{ key: string }[]>`select key from service.storage_uploads where finished_at is null order by key`).map(({ key }) => key);

  await Promise.all([sweeping(), sweeping()]); // two gateways
  t.same([await of('a'), await of('older'), await of('replaced'), await of('made'), await of('fresh')],
    ['abcd', 'abcd', 'newer', 'abcd', 404]);
  t.same(await unfinished(), ['fresh', 'replaced']);
  t.same(told.map(({ key }) => key).sort(), ['a', 'made', 'older'], 'once each');
  t.match(told.find(({ key }) => key === 'a'), { event: 'finalize', bucket: 'default', size: 4, user: { uid: 'service' } });
  t.equal(await offsetOf(service, id), 4);
  t.equal(await offsetOf(service, replaced), 4, 'who asks gets what he asks for');
  t.equal(await of('replaced'), 'abcd');

  const alive = await whole(service, 'alive');
  const { hold, row } = await holders.hold(alive, null);
  await sweeping();
  await later();
  const sweep = sweeping();
  await until('it is wanted',
    async () => (await sql`select from service.storage_uploads where id = ${alive} and claimant = ${row.holder}`).length === 0);
  if (hold) await store.uploads.complete(hold.upload);
  await hold?.finish();
  await sweep;
  t.same([await of('alive'), told.filter(({ key }) => key === 'alive')], ['abcd', []], 'whoever is at it finishes it, once');

  await whole(service, 'away');
  await sweeping();
  await later();
  await sweeping([{ ...store, uploads: { ...store.uploads, complete: () => Promise.reject(new Error('away')) } }]);
  t.match(logged, [/could not be finished/]);
  await sweeping();
  t.same(await unfinished(), ['away'], 'it is not tried again at once');
  await later();
  await sweeping();
  t.equal(await of('away'), 'abcd');
});

test('HEAD finishes an upload that was left complete', async t => {
  const service = await lendFiles(t);
  const id = await whole(service, 'a');
  t.equal(await offsetOf(service, id), 4);
  t.equal(await (await service.read('a')).text(), 'abcd');
});
