import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'tap';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { projectOf, settings } from './asked.ts';
import { lendFiles, refusal, serveFiles } from './files.ts';

const id = { type: 'number', isId: 'increment' };
const posts = {
  slug: 'posts', properties: {
    id, author: { type: 'string' },
    cover: { type: 'string', storage: { storagePath: 'posts/{entityId}', acceptedFiles: ['image/*'], maxSize: 5, cleanup: true } },
  },
  securityRules: [{ operation: 'select', using: 'true' }, { operation: 'update', using: '{author} = (select service.uid())' }],
};
const SETUP = `
  create schema app; grant usage on schema app to service_user;
  create table app.files (key text, event text, size bigint, uid text); grant all on app.files to service_user;
  create function app.may(request jsonb) returns boolean language plpgsql as $$
  begin
    if request ->> 'operation' <> 'write' then return true; end if;
    if (select coalesce(sum(size), 0) + (request ->> 'size')::bigint > 20 from app.files where uid = service.uid()) then
      raise exception 'Your 20 bytes are used up.';
    end if;
    return (request ->> 'size')::bigint >= 0;
  end $$;
  create function app.on_file(event jsonb) returns void language sql as $$
    insert into app.files values (event ->> 'key', event ->> 'event', (event ->> 'size')::bigint, event #>> '{user,uid}') $$;`;
const storage = {
  authorize: 'app.may',
  policies: [
    { path: 'posts/:id/**', allow: { row: 'posts', id: 'id' } }, { path: 'home/:uid/**', allow: 'authenticated' },
    { path: 'inbox/*', operations: ['write'], allow: 'public' },
  ],
  triggers: [{ path: 'home/:uid/*', events: ['finalize', 'delete'], handler: 'app.on_file' }],
};

test('over HTTP rows, limits, an authorizer and triggers have their say', async t => {
  const { upload, read, request, sql } = await serveFiles(t,
    { setup: SETUP, env: { ...projectOf(t, posts), ...settings(t, { storage }) } });
  const [ada, bob] = [await tokenFor('ada'), await tokenFor('bob')];
  await sql`insert into posts (author) values ('ada')`;
  const image = { type: 'image/png', name: 'a.png' };
  const uploaded = await upload('posts/1/a.png', '12345', { ...image, as: ada });
  t.equal(uploaded.status, 201, await uploaded.clone().text());
  t.same(await refusal(await upload('posts/1/a.png', '12345', { ...image, as: bob })), [403, 'FORBIDDEN']);
  t.same(await refusal(await upload('posts/1/a.png', '12345', { ...image, as: null })), [401, 'UNAUTHORIZED']);
  t.equal((await upload('inbox/a', 'x', { as: null })).status, 201, 'a policy says so');
  for (const last of [false, true]) {
    t.same(await refusal(await upload('posts/1/b.png', '123456', { ...image, as: ada, last })),
      [413, 'STORAGE_FILE_TOO_LARGE', { property: 'posts.cover', maxSize: 5, size: 6 }]);
    t.same(await refusal(await upload('posts/1/b.png', '123', { as: ada, last })),
      [400, 'STORAGE_FILE_TYPE_REFUSED', { property: 'posts.cover', acceptedFiles: ['image/*'], contentType: 'text/plain' }]);
    t.same(await refusal(await upload('home/a', '123456', { ...image, as: ada, last, fields: { collection: 'posts', property: 'cover' } })),
      [413, 'STORAGE_FILE_TOO_LARGE', { property: 'posts.cover', maxSize: 5, size: 6 }]);
  }
  t.equal(await (await read('posts/1/a.png', { as: null })).text(), '12345', 'who sees the row needs no sign-in either');
  t.same(await refusal(await read('posts/2/a.png', { as: bob })), [403, 'FORBIDDEN']);
  t.equal((await request('/storage/list?prefix=posts/1/', { as: bob })).status, 200);
  t.equal((await request('/storage/list?prefix=posts/', { as: bob })).status, 403);
  t.equal((await request('/storage/file/posts/1/a.png', { method: 'DELETE', as: bob })).status, 403);

  t.equal((await upload('home/ada/a', '0123456789', { as: ada })).status, 201);
  for (const last of [false, true]) {
    const used = await upload('home/ada/b', '0123456789a', { as: ada, last });
    t.match({ status: used.status, ...(await used.json() as object) },
      { status: 403, error: { code: 'FORBIDDEN', message: 'Your 20 bytes are used up.' } });
  }
  t.equal((await read('home/ada/b')).status, 404);
  t.equal((await upload('home/ada/c', '0123456789', { as: ada, last: true })).status, 201);
  t.equal((await upload('home/bob/b', '0123456789a', { as: bob })).status, 201, 'of each his own');
  t.equal((await request('/storage/file/home/ada/a', { method: 'DELETE', as: ada })).status, 200);
  t.same((await sql`select key, event, size::int, uid from app.files`).map(row => Object.values(row)), [
    ['home/ada/a', 'finalize', 10, 'ada'], ['home/ada/c', 'finalize', 10, 'ada'], ['home/bob/b', 'finalize', 11, 'bob'],
    ['home/ada/a', 'delete', null, 'ada'],
  ]);

  await sql`update posts set cover = 'posts/1/a.png'`;
  await sql`delete from posts`;
  await until('the jobs are done', async () => (await sql`select from service.jobs where status <> 'succeeded'`).length === 0);
  await sql`insert into posts (id, author) overriding system value values (1, 'ada')`;
  t.equal((await read('posts/1/a.png')).status, 404, 'the file went with its row');
});

test('beside policies public reading lets no shared cache keep what others may not read', async t => {
  const policies = [{ path: 'home/:uid/**', allow: 'authenticated' as const }];
  const { upload, read } = await serveFiles(t, { env: { STORAGE_PUBLIC_READ: 'true', ...settings(t, { storage: { policies } }) } });
  const ada = await tokenFor('ada');
  t.equal((await upload('home/ada/a.txt', 'hello', { as: ada })).status, 201);
  t.same(await refusal(await read('home/ada/a.txt', { as: null })), [403, 'FORBIDDEN']);
  const tag = (await read('home/ada/a.txt', { as: ada })).headers.get('etag') ?? '';
  const requests: [status: number, options: { method?: string; headers?: Record<string, string> }][] = [
    [200, {}], [200, { method: 'HEAD' }], [206, { headers: { range: 'bytes=0-1' } }], [304, { headers: { 'if-none-match': tag } }],
  ];
  for (const [status, options] of requests) {
    const answer = await read('home/ada/a.txt', { as: ada, ...options });
    t.same([answer.status, /^private,/.test(answer.headers.get('cache-control') ?? '')], [status, true], JSON.stringify(options));
  }
});

test('a key is let to the sources that its scopes name', async t => {
  const { request, upload, read } = await lendFiles(t);
  const keyWith = async (...scopes: string[]) => {
    const { status, body } = await request('/admin/api-keys',
      { method: 'POST', as: SERVICE_KEY, body: JSON.stringify({ name: 'x', scopes }) });
    return status === 201 ? body.key.key as string : body.error.code as string;
  };
  t.equal(await keyWith('storage:read:nowhere'), 'UNKNOWN_SCOPE_TARGET');
  const reader = await keyWith('storage:read:(default)');
  await upload('a', 'x');
  t.equal((await read('a', { as: reader })).status, 200);
  t.same(await refusal(await upload('a', 'x', { as: reader })), [403, 'API_KEY_FORBIDDEN', { requiredScope: 'storage:write:(default)' }]);
});

test('a client that has to sign in is told so before its file is read', async t => {
  const { address } = await lendFiles(t);
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write('POST /api/storage/upload HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: '
    + '1000000\r\n\r\n'
    + '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nthe first bytes');
  const [answer] = await once(socket, 'data') as [Buffer];
  t.match(answer.toString(), /^HTTP\/1\.1 401 /);
});
