import { randomBytes } from 'node:crypto';
import { test } from 'tap';
import { Upload, type UploadOptions } from 'tus-js-client';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { settings } from './asked.ts';
import { type Files, lendFiles, refusal, serveFiles } from './files.ts';
import { begin, metadata, offsetOf, piece, tus } from './tus-client.ts';

/** Resolves when it is there, or `stop` said so. */
function uploaded(service: Files, file: Buffer, options: UploadOptions, stop: (sent: number) => boolean = () => false): Promise<Upload> {
  const { promise, resolve, reject } = Promise.withResolvers<Upload>();
  const upload = new Upload(file, {
    endpoint: `${service.base}/tus`, headers: { authorization: `Bearer ${SERVICE_KEY}` }, retryDelays: [0, 20, 100, 500], ...options,
    onSuccess: () => { resolve(upload); },
    onError: reject,
    onProgress: sent => { if (stop(sent)) void upload.abort().then(() => { resolve(upload); }, reject); },
  });
  upload.start();
  return promise;
}

test('tus-js-client uploads, breaks off and goes on', async t => {
  const service = await lendFiles(t);
  const file = randomBytes(5 * 1024 * 1024 + 3);
  const values = { filename: 'movie.bin', filetype: 'video/mp4' };
  const broken = await uploaded(service, file, { metadata: values, chunkSize: 1024 * 1024 }, sent => sent > 2_500_000);
  const at = await offsetOf(service, broken.url ?? '');
  t.ok(at >= 2 * 1024 * 1024 && at < file.length, `${at}`);
  await uploaded(service, file, { uploadUrl: broken.url ?? '' });
  const answer = await service.read('movie.bin');
  t.equal(answer.headers.get('content-type'), 'video/mp4');
  t.ok(Buffer.from(await answer.arrayBuffer()).equals(file));

  const given = await uploaded(service, file, { metadata: { filename: 'given-up' } }, sent => sent > 100_000);
  await Upload.terminate(given.url ?? '', { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  t.equal(await offsetOf(service, given.url ?? ''), -1);
});

const RULES = `
  create schema app; grant usage on schema app to service_user;
  create table app.told (event jsonb); grant all on app.told to service_user;
  create function app.small(request jsonb) returns boolean language sql
  as $$ select (request ->> 'size')::int <= 100 and request ->> 'contentType' like 'text/%' $$;
  create function app.told(event jsonb) returns void language sql as $$ insert into app.told values (event) $$;`;

test('the rules of files apply, and functions learn the creator of the upload', async t => {
  const rules = { authorize: 'app.small', triggers: [{ path: 'docs/:name', events: ['finalize'], handler: 'app.told' }] };
  const service = await serveFiles(t, { setup: RULES, env: settings(t, { storage: rules }) });
  const [ada, root] = await Promise.all([tokenFor('ada', ['editor']), tokenFor('root', ['admin'])]);
  const create = (length: number, contentType: string) => tus(service, 'POST', '',
    { as: ada, headers: { 'upload-length': String(length), 'upload-metadata': metadata({ key: 'docs/a', contentType }) } });
  t.same(await refusal(await create(101, 'text/plain')), [403, 'FORBIDDEN']);
  t.same(await refusal(await create(100, 'image/png')), [403, 'FORBIDDEN']);
  const id = await begin(service, 4, { key: 'docs/a', contentType: 'text/plain' }, { as: ada });
  await piece(service, id, 0, 'ab', { as: ada });
  t.same(await service.sql`select from app.told`, []);
  t.equal((await piece(service, id, 2, 'cd', { as: root })).status, 204);
  const [told] = await service.sql<{ event: Record<string, unknown> }[]>`select event from app.told`;
  const { at, user, ...event } = told?.event ?? {};
  t.type(at, 'string');
  t.same(event, {
    event: 'finalize', key: 'docs/a', bucket: 'default', storageId: '(default)', size: 4, contentType: 'text/plain', params: { name: 'a' },
  });
  t.match(user, { uid: 'ada', roles: ['editor'], email: /@/ });
});

test('a key needs the scope of uploads at every step', async t => {
  const service = await lendFiles(t);
  const key = async (scopes: string[]) =>
    (await service.request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'a', scopes }) })).body.key.key as string;
  const [writes, reads] = [await key(['storage:write']), await key(['storage:read'])];
  t.match((await refusal(await tus(service, 'POST', '', { as: reads, headers: { 'upload-length': '1' } }))).slice(0, 2),
    [403, 'API_KEY_FORBIDDEN']);
  const id = await begin(service, 2, { key: 'a' }, { as: writes });
  t.equal((await piece(service, id, 0, 'a', { as: writes })).status, 204);
  t.same(await refusal(await piece(service, id, 1, 'b', { as: reads })), [404, 'NOT_FOUND']);
  await service.sql`update service.api_keys set scopes = '{storage:read}' where 'storage:write' = any (scopes)`;
  await service.sql`select pg_notify('service_accounts', '*')`;
  await until('the change of the key is heard', async () => (await tus(service, 'HEAD', id, { as: writes })).status === 403);
  t.equal((await tus(service, 'DELETE', id, { as: writes })).status, 403);
});
