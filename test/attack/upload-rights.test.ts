// The right to store a file is judged when a resumable upload begins and again when it ends, up to a day later: whatever withdraws the
// right in between, no file appears, the bytes are removed, and no trigger is told.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { projectOf, settings } from '../storage/asked.ts';
import { type Files, refusal, serveFiles } from '../storage/files.ts';
import { sweeperOf, whole } from '../storage/sweeper.ts';
import { begin, piece, tus } from '../storage/tus-client.ts';

const posts = {
  slug: 'posts', properties: { id: { type: 'number', isId: 'increment' }, author: { type: 'string' } },
  securityRules: [{ operation: 'select', using: 'true' }, { operation: 'update', using: '{author} = (select service.uid())' }],
};
const storage = {
  policies: [
    { path: 'posts/:id/**', allow: { row: 'posts', id: 'id' } }, { path: 'editors/**', allow: { function: 'app.is_editor' } },
    { path: 'roles/**', allow: { function: 'app.has_role' } }, { path: 'home/**', allow: 'authenticated' },
  ],
  triggers: [{ path: '**', events: ['finalize'], handler: 'app.on_file' }],
};
const SETUP = `
  create schema app; grant usage on schema app to service_user;
  create table app.editors (uid text); insert into app.editors values ('ada'); grant select on app.editors to service_user;
  create table app.told (key text); grant insert on app.told to service_user;
  create function app.is_editor(request jsonb) returns boolean
  language sql as $$ select exists (select from app.editors e where e.uid = service.uid()) $$;
  create function app.has_role(request jsonb) returns boolean
  language sql as $$ select 'editor' = any (string_to_array(service.roles(), ',')) $$;
  create function app.on_file(event jsonb) returns void language sql as $$ insert into app.told values (event ->> 'key') $$;`;

type World = Files & { ada: string; key: { id: string; key: string } };
/**
 * `stays`: the database does not know the custom claims of a token, so what a rule refuses without them is not put in place, and expires.
 */
type Withdrawal = { what: string; file: string; withdraw: (world: World) => Promise<unknown>; by?: 'key'; stays?: true };

const WITHDRAWALS: Withdrawal[] = [
  { what: 'the row is another person\'s', file: 'posts/1/a', stays: true, withdraw: ({ sql }) => sql`update posts set author = 'bob'` },
  { what: 'the row is deleted', file: 'posts/1/a', stays: true, withdraw: ({ sql }) => sql`delete from posts` },
  { what: 'the function of a policy says no', file: 'editors/a', stays: true, withdraw: ({ sql }) => sql`delete from app.editors` },
  {
    what: 'a role is taken', file: 'roles/a', stays: true,
    withdraw: ({ sql }) => sql`update service.users set roles = '{}' where uid = 'ada'`,
  },
  {
    what: 'the account is disabled', file: 'home/a', withdraw: ({ sql }) => sql`update service.users set disabled = true where uid = 'ada'`,
  },
  { what: 'the account is deleted', file: 'home/a', withdraw: ({ sql }) => sql`delete from service.users where uid = 'ada'` },
  { what: 'all sessions are ended', file: 'home/a', withdraw: ({ sql }) => sql`select service.end_all_sessions('ada')` },
  {
    what: 'an API key is revoked', file: 'home/a', by: 'key',
    withdraw: ({ request, key }) => request(`/admin/api-keys/${key.id}`, { method: 'DELETE' }),
  },
];

async function world(t: Test): Promise<World> {
  const service = await serveFiles(t, { setup: SETUP, env: { ...projectOf(t, posts), ...settings(t, { storage }) } });
  await service.sql`insert into posts (author) values ('ada')`;
  const ada = await tokenFor('ada', ['editor']);
  await service.account(ada);
  const made = await service.request('/admin/api-keys',
    { method: 'POST', body: JSON.stringify({ name: 'files', scopes: ['storage:write'], roles: ['editor'] }) });
  const { key } = made.body as { key: World['key'] };
  return { ...service, ada, key };
}

/** The remains of an upload, and of its file. */
async function left({ folder, sql }: World, file: string): Promise<{ isOnDisk: boolean; bytes: number; uploads: number; told: number }> {
  return {
    isOnDisk: existsSync(join(folder, 'default', file)), bytes: readdirSync(join(folder, '.tus-uploads')).length,
    uploads: (await sql`select key from service.storage_uploads`).length,
    told: (await sql`select from app.told where key = ${file}`).length,
  };
}

const NOTHING = { isOnDisk: false, bytes: 0, uploads: 0, told: 0 };

for (const { what, file, withdraw, by, stays } of WITHDRAWALS) test(`the sweep ends no upload when ${what}`, async t => {
  const made = await world(t);
  await whole(made, file, { as: by === 'key' ? made.key.key : made.ada });
  await withdraw(made);
  const { sweeping, told, logged } = await sweeperOf(made);
  await made.sql`update service.storage_uploads set swept_at = now() - interval '1 hour'`;
  await sweeping();
  t.same(await left(made, file), stays ? { ...NOTHING, bytes: 1, uploads: 1 } : NOTHING);
  await made.sql`update service.storage_uploads set created_at = now() - interval '25 hours', swept_at = now() - interval '1 hour'`;
  await sweeping();
  t.same(await left(made, file), NOTHING);
  t.same(told, []);
  t.match(logged, [/may not be stored any more/]);
});

/** A token of a test belongs to no session that could be ended. */
const KNOWN_AT_ONCE = WITHDRAWALS.filter(({ what }) => what !== 'all sessions are ended');

for (const {
  what, file, withdraw, by,
} of KNOWN_AT_ONCE) test(`the last piece of an upload is refused like an upload when ${what}`, async t => {
  const made = await world(t);
  const as = by === 'key' ? made.key.key : made.ada;
  const id = await begin(made, 4, { key: file }, { as });
  t.equal((await piece(made, id, 0, 'ab', { as })).status, 204);
  await withdraw(made);
  const direct = await until('an upload is refused', async () => {
    const answer = await fetch(`${made.base}/upload`,
      { method: 'POST', headers: { authorization: `Bearer ${as}` }, body: form(`${file}-direct`) });
    return answer.ok ? undefined : refusal(answer);
  });
  const headers = {
    'upload-offset': '2', 'content-type': 'application/offset+octet-stream', 'tus-resumable': '1.0.0', authorization: `Bearer ${as}`,
  };
  const last = await fetch(id.includes('://') ? new URL(new URL(id).pathname, made.address) : `${made.address}${id}`,
    { method: 'PATCH', headers, body: 'cd' });
  t.same((await refusal(last)).slice(0, 2), direct.slice(0, 2));
  const { isOnDisk, told } = await left(made, file);
  t.same([isOnDisk, told], [false, 0]);
  if (direct[0] === 403) t.same(await left(made, file), NOTHING);
});

test('an upload whose creator still may is ended, by its last piece and by the sweep', async t => {
  const made = await world(t);
  const { ada } = made;
  for (const file of ['posts/1/a', 'editors/a', 'roles/a', 'home/a']) {
    const id = await begin(made, 4, { key: file }, { as: ada });
    t.equal((await piece(made, id, 0, 'abcd', { as: ada })).status, 204, file);
    t.ok((await left(made, file)).isOnDisk, file);
  }
  await whole(made, 'home/b', { as: ada });
  await whole(made, 'home/c', { as: made.key.key });
  await made.sql`update service.storage_uploads set swept_at = now() - interval '1 hour' where finished_at is null`;
  const { sweeping, told } = await sweeperOf(made);
  await sweeping();
  t.same(told.map(({ key, user }) => [key, (user as { uid: string }).uid]).sort(),
    [['home/b', 'ada'], ['home/c', `api-key:${made.key.id}`]]);
  t.ok((await left(made, 'home/b')).isOnDisk && (await left(made, 'home/c')).isOnDisk);
});

test('the upload of another person is ended with that person\'s right, by an admin too', async t => {
  const made = await world(t);
  const id = await whole(made, 'posts/1/a', { as: made.ada });
  await made.sql`update posts set author = 'bob'`;
  t.equal((await tus(made, 'HEAD', id, { as: SERVICE_KEY })).status, 403);
  t.same(await left(made, 'posts/1/a'), { ...NOTHING, bytes: 1, uploads: 1 });
});

function form(key: string): FormData {
  const body = new FormData();
  body.set('key', key);
  body.set('file', new Blob(['abcd'], { type: 'text/plain' }), 'a.txt');
  return body;
}
