import { test } from 'tap';
import { runCommand } from '../boot/gateway.ts';
import { openService } from '../harness/service.ts';
import { createDatabase } from '../harness/database.ts';
import { serveAsked, settings, type Asked } from './asked.ts';

type Case = [who: string | null, operation: 'read' | 'write' | 'delete' | 'list', key: string, answer: string];

async function holds(
  t: { equal: (found: unknown, wanted: unknown, message: string) => unknown }, { may }: Asked, cases: Case[],
): Promise<void> {
  for (const [who, operation, key, answer] of cases) {
    t.equal(await may(who, operation, key), answer, `${who ?? 'nobody'} ${operation} ${key}`);
  }
}

const FUNCTIONS = `
  create schema app; grant usage on schema app to service_user;
  create table app.seen (request jsonb); grant all on app.seen to service_user;
  create function app.decides(request jsonb) returns boolean language plpgsql as $$
  begin
    if current_user <> 'service_user' or service.uid() is null then raise exception 'as somebody else'; end if;
    case split_part(request ->> 'key', '/', 1)
      when 'yes' then return true; when 'no' then return false; when 'null' then return null;
      when 'raises' then raise exception 'Not on a %.', 'Monday';
      when 'breaks' then return 1 / 0 > 0;
      when 'fails' then perform service.fail(429, 'RATE_LIMITED', 'Too many.', '{"retryAfter": 7}');
      when 'writes' then insert into app.seen values (request); return true;
      when 'mine' then return split_part(request ->> 'key', '/', 2) = request #>> '{user,uid}';
      when 'small' then return (request ->> 'size')::bigint <= 10 and request ->> 'contentType' = 'text/plain';
      else return request -> 'user' = 'null';
    end case;
  end $$;
  create function app.own(request jsonb) returns boolean language sql as $$ select request #>> '{params,uid}' = service.uid() $$;
  create function app.private(request jsonb) returns boolean language sql as $$ select true $$;
  revoke execute on function app.private from public;
  create function app.text(request jsonb) returns text language sql as $$ select 'true' $$;
  create function app.told(event jsonb) returns void language sql as $$ select $$;`;

test('without rules signed-in callers may do everything, and others only read public files; settings widen that', async t => {
  const asked = await serveAsked(t, {});
  await holds(t, asked, [
    ['ada', 'read', 'a', 'yes'], ['ada', 'write', 'a', 'yes'], ['ada', 'delete', 'a', 'yes'], ['ada', 'list', '', 'yes'],
    ['service', 'write', 'a', 'yes'], [null, 'read', 'a', '401 UNAUTHORIZED'], [null, 'write', 'a', '401 UNAUTHORIZED'],
    [null, 'delete', 'a', '401 UNAUTHORIZED'], [null, 'list', '', '401 UNAUTHORIZED'], [null, 'read', 'public/a', 'yes'],
    [null, 'write', 'public/a', '401 UNAUTHORIZED'], [null, 'list', 'public/', '401 UNAUTHORIZED'],
    [null, 'read', 'publicx/a', '401 UNAUTHORIZED'], [null, 'read', 'public', '401 UNAUTHORIZED'],
    [null, 'read', 'Public/a', '401 UNAUTHORIZED'],
  ]);
  await asked.use({ authRequired: false });
  await holds(t, asked, [[null, 'read', 'a', 'yes'], [null, 'write', 'a', 'yes'], [null, 'list', '', 'yes']]);
  await asked.use({ authRequired: false, allowAnyAuthenticated: true });
  await holds(t, asked, [[null, 'read', 'a', '401 UNAUTHORIZED'], ['ada', 'delete', 'a', 'yes']]);
  await asked.use({ authRequired: false, publicRead: true });
  await holds(t, asked, [
    [null, 'read', 'a', 'yes'], [null, 'write', 'a', '401 UNAUTHORIZED'], [null, 'list', 'a/', '401 UNAUTHORIZED'],
    ['ada', 'write', 'a', 'yes'],
  ]);
});

test('a function decides, as the caller', async t => {
  const asked = await serveAsked(t, { authorize: 'app.decides' },
    { setup: FUNCTIONS, env: { STORAGE_PUBLIC_READ: 'true', STORAGE_ALLOW_ANY_AUTHENTICATED: 'true' } });
  const { refusal, may, sql } = asked;
  await holds(t, asked, [
    ['ada', 'read', 'yes/a', 'yes'], ['ada', 'read', 'no/a', '403 FORBIDDEN'], ['ada', 'read', 'null/a', '403 FORBIDDEN'],
    ['ada', 'list', 'yes/', 'yes'], ['ada', 'read', 'breaks/a', '403 FORBIDDEN'], ['ada', 'read', 'fails/a', '429 RATE_LIMITED'],
    ['ada', 'write', 'mine/ada/a', 'yes'], ['bob', 'write', 'mine/ada/a', '403 FORBIDDEN'], ['service', 'read', 'no/a', '403 FORBIDDEN'],
    ['ada', 'write', 'writes/a', 'yes'], ['ada', 'read', 'writes/a', '409 READ_ONLY_TRANSACTION'], [null, 'read', 'nobody/a', 'yes'],
    [null, 'read', 'no/a', '403 FORBIDDEN'], [null, 'read', 'mine/anonymous/a', '403 FORBIDDEN'],
    [null, 'write', 'nobody/a', '401 UNAUTHORIZED'], [null, 'read', 'public/no', 'yes'], ['ada', 'read', 'public/no', 'yes'],
    ['ada', 'write', 'public/no', '403 FORBIDDEN'],
  ]);
  t.equal((await refusal('ada', 'read', 'raises/a'))?.message, 'Not on a Monday.');
  t.equal(await may('ada', 'write', 'small/a', { size: 10, contentType: 'text/plain' }), 'yes');
  t.equal(await may('ada', 'write', 'small/a', { size: 11, contentType: 'text/plain' }), '403 FORBIDDEN');
  t.equal(await may('ada', 'write', 'small/a'), '403 FORBIDDEN');
  await sql`delete from app.seen`;
  await sql`insert into service.users (uid, email, roles) values ('eva', 'eva@example.org', '{editor}')`;
  await asked.may('eva:editor', 'write', 'writes/b',
    { size: 3, contentType: 'text/plain', bucket: 'other', storageId: 'media', fileName: 'b.txt' });
  t.same((await sql`select request from app.seen`)[0]?.['request'], {
    key: 'writes/b', bucket: 'other', operation: 'write', storageId: 'media', size: 3, contentType: 'text/plain', fileName: 'b.txt',
    params: {},
    user: { uid: 'eva', email: 'eva@example.org', roles: ['editor'] },
  });
  await sql.unsafe('drop function app.decides');
  t.equal(await may('ada', 'read', 'yes/a'), '403 FORBIDDEN', 'one that is gone does not allow');
});

test('one of the policies has to allow it, and an authorizer beside them as well', async t => {
  const asked = await serveAsked(t, { policies: [
    { path: 'open/*', operations: ['read', 'list'], allow: 'public' },
    { path: 'home/:uid/**', allow: { function: 'app.own' } },
    { path: 'home/:uid/shared/**', operations: ['read'], allow: 'authenticated' },
    { path: 'a.b/x', allow: 'authenticated' },
    { path: 'decides/**', allow: { function: 'app.decides' } },
  ] }, { setup: FUNCTIONS });
  await holds(t, asked, [
    [null, 'read', 'open/a', 'yes'], [null, 'write', 'open/a', '401 UNAUTHORIZED'], ['ada', 'write', 'open/a', '403 FORBIDDEN'],
    [null, 'read', 'open/a/b', '401 UNAUTHORIZED'], [null, 'list', 'open/a/', 'yes'], [null, 'list', 'open/', '401 UNAUTHORIZED'],
    ['ada', 'write', 'home/ada/a', 'yes'], ['ada', 'list', 'home/ada/', 'yes'], ['ada', 'list', 'home/ada', 'yes'],
    ['ada', 'delete', 'home/ada/b/c', 'yes'], ['ada', 'write', 'home/bob/a', '403 FORBIDDEN'], ['ada', 'read', 'home/bob/shared/a', 'yes'],
    ['ada', 'write', 'home/bob/shared/a', '403 FORBIDDEN'], [null, 'read', 'home/anonymous/a', '401 UNAUTHORIZED'],
    ['ada', 'list', 'home/', '403 FORBIDDEN'], ['ada', 'list', '', '403 FORBIDDEN'], ['ada', 'read', 'a.b/x', 'yes'],
    ['ada', 'read', 'aXb/x', '403 FORBIDDEN'], ['ada', 'read', 'x/a.b/x', '403 FORBIDDEN'], ['ada', 'read', 'a.b/x/y', '403 FORBIDDEN'],
    ['ada', 'read', 'else', '403 FORBIDDEN'], ['service', 'read', 'else', '403 FORBIDDEN'],
  ]);
  await asked.use({ authorize: 'app.decides', policies: [{ path: 'yes/**', allow: 'public' }, { path: 'no/**', allow: 'public' }] });
  await holds(t, asked, [
    ['ada', 'read', 'yes/a', 'yes'], [null, 'write', 'yes/a', 'yes'], ['ada', 'read', 'no/a', '403 FORBIDDEN'],
    [null, 'read', 'no/a', '401 UNAUTHORIZED'],
    ['ada', 'read', 'mine/ada', '403 FORBIDDEN'],
  ]);
});

test('a start with rules that cannot be followed says all that is wrong with them', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(FUNCTIONS).simple();
  const start = (storage: object) =>
    openService(url, settings(t, { storage })).then(service => service.close(), (error: unknown) => (error as Error).message);
  const allow = 'public';
  t.same(await start({
    authorize: 'app.nothing',
    policies: [
      { path: 'a/**/b', allow }, { path: 'a//b', allow }, { path: '../a', allow }, { path: ':a/:a', allow }, { path: 'a/:1', allow },
      { path: '*.png', allow }, { path: 'a', allow: { function: 'app.text' } }, { path: 'a', allow: { function: 'app.private' } },
      { path: 'posts/:post', allow: { row: 'posts', id: 'id' } },
    ],
    triggers: [{ path: '/a', events: ['delete'], handler: 'app.decides' }],
  }), [
    'authorize of the settings file: there is no function app.nothing(jsonb) returns boolean.',
    'policies[0].path of the settings file: has ** before its end.',
    'policies[1].path of the settings file: has a segment that is empty.',
    'policies[2].path of the settings file: has the segment .., which no key has.',
    'policies[3].path of the settings file: has the name :a twice.',
    'policies[4].path of the settings file: has :1, and a name is of letters, digits and _.',
    'policies[5].path of the settings file: has *.png, and * stands for a whole segment.',
    'policies[6].allow.function of the settings file: there is no function app.text(jsonb) returns boolean.',
    'policies[7].allow.function of the settings file: service_user may not call app.private(jsonb).',
    'policies[8].allow.id of the settings file: the path has no :id.',
    'policies[8].allow.row of the settings file: there is no collection posts.',
    'triggers[0].handler of the settings file: there is no function app.decides(jsonb) returns void.',
    'triggers[0].path of the settings file: has a segment that is empty.',
  ].map(line => `storage.${line}`).join('\n'));
  t.match(await start({ policies: [{ path: 'a', allow: 'everybody' }] }),
    /storage\.policies\[0\]\.allow: must be "public", "authenticated"/);
  t.match(await start({ policies: [{ path: 'a', operations: ['fly'], allow }] }), /storage\.policies\[0\]\.operations/);
});

test('psql and the command line get the same answer, and the deciding rule', async t => {
  const { sql, service } = await serveAsked(t, { authorize: 'app.decides', policies: [
    { path: 'no/:x', allow: 'authenticated' }, { path: 'writes/*', allow: 'public' }, { path: 'fails/*', allow: 'authenticated' },
    { path: 'yes/*', allow: { function: 'app.own' } }, { path: 'yes/*', allow: 'authenticated' },
  ] }, { setup: FUNCTIONS });
  const why = async (operation: string, key: string, uid: string | null) =>
    (await sql`select service.storage_why(${operation}, ${key}, service.account_claims(${uid})) as answer`)[0]?.['answer'] as unknown;
  t.same(await why('read', 'yes/1', 'ada'), { allowed: true, reason: 'policies[4] (yes/*): authenticated; authorize: app.decides' });
  t.same(await why('read', 'no/1', 'ada'),
    { allowed: false, status: 403, reason: 'policies[0] (no/:x): authenticated; authorize: app.decides' });
  t.same(await why('list', 'else/', 'ada'), { allowed: false, status: 403, reason: 'no policy is about this' });
  t.same(await why('read', 'yes/1', null), { allowed: false, status: 401, reason: 'not signed in' });
  t.same(await why('read', 'public/1', null), { allowed: true, reason: 'what lies under public/ is for everybody' });
  t.same(await why('read', 'fails/1', 'ada'), { allowed: false, status: 429, code: 'RATE_LIMITED', reason: 'Too many.' });
  t.match(await why('write', 'writes/1', 'ada'), { allowed: true });
  t.same(await sql`select from app.seen`, [], 'and nothing is left of it');
  t.same(await sql`select current_user = session_user as same, service.uid()`, [{ same: true, uid: null }]);
  const command = (...args: string[]) => runCommand(t, ['storage', ...args], { DATABASE_URL: service.url });
  t.match(await command('why', 'read', 'yes/1', '--as', 'ada'),
    { code: 0, output: 'Yes: policies[4] (yes/*): authenticated; authorize: app.decides.\n' });
  t.match(await command('why', 'read', 'yes/1'), { code: 2, output: 'No (401): not signed in.\n' });
});
