import { test, type Test } from 'tap';
import { openLoader } from '../collections/loaded.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY, type Answer } from '../harness/service.ts';
import { collections } from '../write/client.ts';
import { OPEN, refusal, lendAccounts, type Accounts } from './people.ts';
import { settingsFile } from './settings-file.ts';

type File = { slug: string; [key: string]: unknown };
const id = { type: 'number', isId: 'increment' };
const users: File = {
  slug: 'users', auth: true,
  properties: { bio: { type: 'string' }, team: { type: 'relation', relation: { kind: 'belongsTo', target: 'teams' } } },
};
const teams: File = {
  slug: 'teams', securityRules: [{ operation: 'select', access: 'public' }],
  properties: { id, name: { type: 'string' }, fans: { type: 'relation', relation: { kind: 'manyToMany', target: 'users' } } },
};
const posts: File = {
  slug: 'posts', securityRules: [{ access: 'public' }],
  properties: { id, title: { type: 'string' }, author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } } },
};

type Club = Accounts & { data: (method: string, path: string, body?: object, as?: string | null) => Promise<Answer> };

async function club(t: Test, files: File[] = [users, teams, posts], env: Record<string, string> = {}, setup?: string): Promise<Club> {
  const service = await lendAccounts(t,
    { ...OPEN, ALLOW_ANONYMOUS: 'true', AUTH_REQUIRE: 'false', SERVICE_COLLECTIONS_DIR: collections(t, ...files), ...env },
    setup === undefined ? {} : { setup });
  const data: Club['data'] = (method, path, body, as = SERVICE_KEY) =>
    service.request(`/data/${path}`, { method, as, ...(body && { body: JSON.stringify(body) }) });
  return { ...service, data };
}

test('every account is a row, which its person and admins see', async t => {
  const { data, register, post, request } = await club(t);
  const ada = await register('Ada@example.org');
  const bob = await register('bob@example.org');
  const guest = (await post('/auth/anonymous')).body;
  const made = await request('/admin/users', {
    method: 'POST',
    body: JSON.stringify({ uid: 'cy', email: 'cy@example.org', displayName: 'Cy', roles: ['editor'], metadata: { team: 7 } }),
  });
  t.equal(made.status, 201);

  const seen = async (as: string | null) =>
    ((await data('GET', 'users', undefined, as)).body.data as { email: string }[]).map(({ email }) => email).sort();
  t.same(await seen(ada.access), [guest.user.email, 'ada@example.org', 'bob@example.org', 'cy@example.org'].sort(),
    'she is the first, an admin');
  t.same(await seen(bob.access), ['bob@example.org']);
  t.same(await seen(guest.tokens.accessToken), [guest.user.email]);
  t.same(await seen(null), []);
  const { body: row } = await data('GET', 'users/cy');
  const { createdAt, updatedAt, ...rest } = row;
  t.same(rest, {
    id: 'cy', bio: null, teamId: null, email: 'cy@example.org', displayName: 'Cy', photoURL: null, roles: ['editor'], emailVerified: true,
    isAnonymous: false, disabled: false, metadata: { team: 7 },
  });
  t.equal(createdAt, made.body.user.createdAt);
  t.match(updatedAt, /Z$/);

  await request('/auth/me', { method: 'PATCH', as: bob.access, body: '{"displayName":"Bob"}' });
  t.match((await data('GET', `users/${bob.uid}`, undefined, bob.access)).body, { displayName: 'Bob' });
  await post('/auth/anonymous/link', { email: 'gus@example.org', password: 'Correct-horse-1' }, guest.tokens.accessToken);
  t.match((await data('GET', `users/${guest.user.uid}`)).body, { email: 'gus@example.org', isAnonymous: false });
  await request('/admin/users/cy', { method: 'PUT', body: '{"email":"Cyd@example.org","disabled":true,"roles":[]}' });
  t.match((await data('GET', 'users/cy')).body, { email: 'cyd@example.org', disabled: true, roles: [] });
  t.equal((await request('/admin/users/cy', { method: 'DELETE' })).status, 200);
  t.equal((await data('GET', 'users/cy')).status, 404);
});

test('a row that an admin writes there is the account', async t => {
  const { data, register, login, request, sql } = await club(t);
  const ada = await register('ada@example.org');
  const bob = await register('bob@example.org');
  const me = async (as: string) => (await request('/auth/me', { as })).body.user;
  t.match(await data('PATCH', `users/${bob.uid}`,
    { email: ' Robert@Example.org', displayName: 'Robert', bio: 'b', metadata: { a: 1 }, photoURL: 'https://example.org/b.png' },
    ada.access),
    { status: 200, body: { email: 'robert@example.org', bio: 'b' } });
  t.match(await me(bob.access),
    { email: 'robert@example.org', displayName: 'Robert', metadata: { a: 1 }, photoURL: 'https://example.org/b.png' });
  await login('robert@example.org');
  t.same(refusal(await request('/admin/users', { as: bob.access })), [403, 'FORBIDDEN']);
  await sql`drop trigger announced on service.users`; // its notification may come later than the answer
  const given = { PATCH: (roles: string[]) => data('PATCH', `users/${bob.uid}`, { roles }, ada.access),
    bulk: (roles: string[]) => data('PATCH', 'users/bulk', { updates: [{ id: bob.uid, roles }] }, ada.access),
    batch: (roles: string[]) =>
      data('POST', '_batch', { operations: [{ op: 'update', collection: 'users', id: bob.uid, values: { roles } }] }, ada.access),
    upsert: (roles: string[]) => data('POST', 'users?on_conflict=id', { id: bob.uid, email: 'robert@example.org', roles }, ada.access) };
  for (const [how, give] of Object.entries(given)) {
    t.ok((await give(['admin'])).status < 300, how);
    t.equal((await request('/admin/users', { as: bob.access })).status, 200, `${how}: his token is of now`);
    await give([]);
    t.same(refusal(await request('/admin/users', { as: bob.access })), [403, 'FORBIDDEN'], how);
  }
  t.equal((await data('PATCH', `users/${bob.uid}`, { disabled: true }, ada.access)).status, 200);
  t.same(refusal(await request('/auth/me', { as: bob.access })), [401, 'UNAUTHORIZED']);
  t.equal((await data('PATCH', 'users/bulk', { updates: [{ id: bob.uid, disabled: false }] }, ada.access)).status, 200);
  t.equal((await request('/auth/me', { as: bob.access })).status, 200);
  t.equal((await data('DELETE', `users/${bob.uid}`, undefined, ada.access)).status, 204);
  t.same(refusal(await request('/auth/me', { as: bob.access })), [401, 'UNAUTHORIZED']);

  const made = await data('POST', 'users', { email: 'Cy@Example.org', displayName: 'Cy', roles: ['editor'], bio: 'c' }, ada.access);
  t.match(made,
    { status: 201, body: { id: /^[0-9a-f-]{36}$/, email: 'cy@example.org', roles: ['editor'], emailVerified: true, bio: 'c' } });
  t.match((await request(`/admin/users/${made.body.id}`)).body.user,
    { email: 'cy@example.org', roles: ['editor'], createdAt: made.body.createdAt });
  t.same(refusal(await data('POST', 'users', { email: 'CY@example.org' })), [409, 'EMAIL_EXISTS']);
  t.same(refusal(await data('PATCH', `users/${made.body.id}`, { email: 'ada@example.org' })), [409, 'EMAIL_EXISTS']);
  for (const body of [{ roles: [] }, { disabled: true }]) {
    t.same(refusal(await data('PATCH', `users/${ada.uid}`, body)), [403, 'LAST_ADMIN']);
  }
  t.same(refusal(await data('DELETE', `users/${ada.uid}`)), [403, 'LAST_ADMIN']);
  t.same(refusal(await data('DELETE', `users/${ada.uid}`, undefined, ada.access)), [400, 'SELF_DELETE']);
  t.same(refusal(await data('PATCH', `users/${ada.uid}`, { password: 'Correct-horse-2' })), [400, 'VALIDATION_UNKNOWN_FIELDS'],
    'passwords are for /admin/users');
  for (const field of ['emailVerified', 'isAnonymous']) {
    t.same(refusal(await data('PATCH', `users/${ada.uid}`, { [field]: true })), [400, 'VALIDATION_EXCLUDED_FIELDS'], field);
  }
  t.same(refusal(await data('POST', 'users', { email: 'no address' })), [400, 'VALIDATION_CONSTRAINT']);
  t.same(await sql`select u.uid from service.users u full join users r on r.id = u.uid
    where (u.email, u.roles) is distinct from (r.email, r.roles)`, []);
});

test('only admin writes, regardless of the rules', async t => {
  const everybody = [{ access: 'public' }];
  const clubs = { type: 'relation', relation: { kind: 'manyToMany', target: 'teams' } };
  const members = { type: 'relation', relation: { kind: 'hasMany', target: 'users', foreignKeyOnTarget: 'team_id' } };
  const open = { ...users, properties: { ...users.properties as object, clubs }, securityRules: everybody, disableDefaultPolicies: true };
  const { data, register, request } = await club(t,
    [open, { ...teams, properties: { id, name: { type: 'string' }, members }, securityRules: everybody }]);
  const ada = await register('ada@example.org');
  const bob = await register('bob@example.org');
  await data('POST', 'teams', { name: 'one' });
  await data('PATCH', `users/${ada.uid}`, { team: 1 });
  for (const as of [bob.access, null]) {
    t.equal((await data('GET', 'users', undefined, as)).body.data.length, 2, 'the rules let everybody read');
    for (const body of [{ roles: ['admin'] }, { bio: 'x' }]) {
      for (const uid of [bob.uid, ada.uid]) {
        t.same(refusal(await data('PATCH', `users/${uid}`, body, as)), [403, 'WRITE_DENIED'], JSON.stringify(body));
      }
    }
    t.same(refusal(await data('POST', 'users', { email: 'x@example.org', roles: ['admin'] }, as)), [403, 'WRITE_DENIED']);
    t.same(refusal(await data('POST', `users?on_conflict=id`, { id: bob.uid, email: 'x@example.org', roles: ['admin'] }, as)),
      [403, 'WRITE_DENIED']);
    t.same(refusal(await data('DELETE', `users/${ada.uid}`, undefined, as)), [403, 'WRITE_DENIED']);
    t.same(refusal(await data('POST', 'teams/1/members', { email: 'x@example.org', roles: ['admin'] }, as)), [403, 'WRITE_DENIED'],
      'by way of another row');
    t.same(refusal(await data('PATCH', `teams/1/members/${ada.uid}`, { roles: [] }, as)), [403, 'WRITE_DENIED']);
    t.same(refusal(await data('POST', 'teams', { name: 'x', members: [bob.uid] }, as)), [403, 'WRITE_DENIED']);
    t.same(refusal(await data('PATCH', `users/${bob.uid}/clubs/1`, { name: 'x' }, as)), [403, 'WRITE_DENIED'],
      'nor links that the users declare');
  }
  t.same((await request('/auth/me', { as: bob.access })).body.user.roles, []);
  t.equal((await data('PATCH', `users/${bob.uid}`, { bio: 'x' }, ada.access)).status, 200);
});

test('no door shows a secret', async t => {
  const { data, register, request } = await club(t, [{ ...users, history: true }, teams, posts]);
  const ada = await register('ada@example.org');
  await data('PATCH', `users/${ada.uid}`, { bio: 'x' });
  const { body: post } = await data('POST', 'posts', { title: 'First', authorId: ada.uid });
  t.match((await data('GET', `posts/${post.id}?include=author`, undefined, ada.access)).body,
    { author: { id: ada.uid, email: 'ada@example.org' } });
  t.same((await data('GET', `posts/${post.id}?include=author`, undefined, null)).body.author, null);
  const answers = [
    await data('GET', 'users'), await data('GET', `users/${ada.uid}/history`), await data('GET', 'posts?include=author'),
    await data('GET', `posts/${post.id}/author`), await request('/meta/contract'), await request('/docs'), await data('GET', 'collections'),
    await data('PATCH', 'users/bulk', { updates: [{ id: ada.uid, bio: 'y' }] }),
  ];
  for (const { status, text } of answers) {
    t.equal(status, 200);
    t.notMatch(text, /password|argon2|tokens_?valid|pending|proven/i);
  }
  const refused: [query: string, code: string][] = [
    ['passwordHash=notnull.', 'UNKNOWN_FILTER_FIELD'], ['password_hash=notnull.', 'UNKNOWN_FILTER_FIELD'],
    ['orderBy=passwordHash', 'UNKNOWN_ORDER_BY_FIELD'], ['fields=passwordHash', 'UNKNOWN_FIELD'],
  ];
  for (const [query, code] of refused) t.equal((await data('GET', `users?${query}`)).body.error.code, code, query);
});

test('accounts that were there get their rows, and a start that asks for no such collection leaves both', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const env = (...files: File[]) => ({ ...OPEN, SERVICE_COLLECTIONS_DIR: collections(t, ...files) });
  const start = async (...files: File[]) => (await openService(url, env(...files))).close();
  const plan = async () =>
    (await sql`select kind, target, statement, detail, verdict from service.provision_plan()`).map(step => ({ ...step }));
  const triggers = async () => (await sql`select tgrelid::regclass || ' ' || tgname as name
    from pg_trigger where tgname ~ '^_(5|8)00' order by 1`).map(({ name }) => name as string);

  const plain = { slug: 'users', auth: true };
  await sql`select service_private.create_account('ada@example.org', null, 'Ada', '{admin}', uid => 'ada')`;
  await sql`select service_private.create_account('bob@example.org', null, 'Bob', '{}', uid => 'bob')`;
  await start({
    ...users, properties: { bio: { type: 'string' }, photoURL: { type: 'string', name: 'Portrait', columnName: 'portrait' } },
  });
  t.same(await plan(), [], 'nothing is left to do');
  t.same([...await sql`select id, email, display_name, portrait, roles, email_verified from users order by id`], [
    { id: 'ada', email: 'ada@example.org', display_name: 'Ada', portrait: null, roles: ['admin'], email_verified: false },
    { id: 'bob', email: 'bob@example.org', display_name: 'Bob', portrait: null, roles: [], email_verified: false },
  ]);
  t.same(await triggers(), ['service.users _800_row', 'users _500_account', 'users _800_account']);

  await sql`update service.users set photo_url = 'https://example.org/a.png' where uid = 'ada'`;
  await start({ ...users, properties: { bio: { type: 'string' }, photoURL: { type: 'string', columnName: 'avatar' } } });
  t.same([...await sql`select avatar from users where id = 'ada'`], [{ avatar: 'https://example.org/a.png' }],
    'a column that is new is filled');

  await start({ slug: 'users' });
  t.same(await triggers(), []);
  t.same([...await sql`select polname from pg_policy where polrelid = 'users'::regclass`], [{ polname: 'users_default_admin' }]);
  t.equal((await sql`select from users`).length, 2, 'rows stay');
  await sql`delete from users where id = 'bob'`;
  await sql`insert into users (id, email, roles) values ('eve', 'eve@example.org', '{admin}')`;
  t.equal((await sql`select from service.users`).length, 2, 'and are rows');
  await t.rejects(start(plain), /public\.users: 1 of its rows have no account, such as eve\..* insert into service\.users/,
    'nobody becomes an admin by a row that was there');
  await sql`insert into service.users (uid, email) select id, email from users where id = 'eve'`;
  await start(plain);
  t.same([...await sql`select id, roles from users order by id`],
    [{ id: 'ada', roles: ['admin'] }, { id: 'bob', roles: [] }, { id: 'eve', roles: [] }]);

  await start({ ...plain, slug: 'people' });
  t.same(await triggers(), ['people _500_account', 'people _800_account', 'service.users _800_row'], 'one table holds accounts');
  await sql`delete from users`;
  t.equal((await sql`select from service.users`).length, 3);
  t.equal((await sql`select from people`).length, 3);
});

test('a DBA works on either table', async t => {
  const { sql, data, register, request } = await club(t,
    [{ ...users, properties: { id: { type: 'string', isId: 'uuid' }, bio: { type: 'string' } } }, posts, { slug: 'teams' }]);
  await sql`insert into users (email, display_name) values ('ada@example.org', 'Ada'), ('bob@example.org', 'Bob')`;
  t.same([...await sql`select u.email, u.roles, u.email_verified, u.uid = r.id::text as same
    from service.users u join users r using (email) order by 1`], [
    { email: 'ada@example.org', roles: [], email_verified: true, same: true },
    { email: 'bob@example.org', roles: [], email_verified: true, same: true },
  ]);
  await sql`update users set roles = '{admin}' where email = 'ada@example.org'`;
  await sql`update service.users set display_name = 'Countess', metadata = '{"a": 1}' where email = 'ada@example.org'`;
  t.same([...await sql`select display_name, roles, metadata from users where email = 'ada@example.org'`],
    [{ display_name: 'Countess', roles: ['admin'], metadata: { a: 1 } }]);
  t.same([...await sql`select roles from service.users where email = 'ada@example.org'`], [{ roles: ['admin'] }]);
  await t.rejects(sql`update users set roles = '{}'`, { code: 'GW403', hint: 'LAST_ADMIN' });
  await t.rejects(sql`update users set email = 'ada@example.org'`, { code: 'GW409', hint: 'EMAIL_EXISTS' });
  await t.rejects(sql`insert into service.users (email) values ('Not@Normal.org')`,
    { code: '23514', constraint_name: 'users_email_check' });
  await t.rejects(sql`insert into users (email, roles) values ('eve@example.org', '{service}')`, { code: '23514' },
    'roles that no account can have');
  await sql`insert into posts (author_id) select id from users where email = 'bob@example.org'`;
  await sql`delete from service.users where email = 'bob@example.org'`;
  t.same([...await sql`select author_id from posts`], [{ author_id: null }]);
  t.same((await sql`select service.create('users', '{"email": " Cy@Example.org "}') as row`)[0]?.['row'].email, 'cy@example.org');
  await sql`delete from users where email = 'cy@example.org'`;
  t.same([...await sql`select u.email, r.email as row from service.users u full join users r on r.id::text = u.uid`],
    [{ email: 'ada@example.org', row: 'ada@example.org' }]);

  const dan = await register('dan@example.org');
  const seen = await data('GET', 'users', undefined, dan.access);
  t.match(seen.body.data, [{ id: dan.uid, email: 'dan@example.org' }]);
  t.equal(seen.body.data.length, 1);
  await sql`drop trigger announced on service.users`;
  t.equal((await data('PATCH', `users/${dan.uid.toUpperCase()}`, { disabled: true })).status, 200);
  t.same(refusal(await data('GET', 'users', undefined, dan.access)), [401, 'UNAUTHORIZED'], 'however his key is spelled');
  t.ok((await data('POST', 'users', { email: 'eve@example.org' })).status === 201);
  t.same(refusal(await request('/admin/users', { method: 'POST', body: '{"uid":"fay","email":"fay@example.org"}' })), [400, 'PG_22P02'],
    'a uid that is none here');
});

test('callbacks and history see each change once, from any source', async t => {
  const { data, register, sql, request } = await club(t, [
    { ...users, history: true, callbacks: { beforeSave: 'public.seen', beforeDelete: 'public.kept' } }, teams, posts,
  ], {}, `
    create table public.saves (op text, email text);
    create function public.seen(op text, old jsonb, new jsonb) returns jsonb language plpgsql as $$
      begin
        if new ->> 'email' like '%@spam.example' then raise 'no spam'; end if;
        insert into saves values (op, new ->> 'email');
        return jsonb_build_object('display_name', coalesce(new ->> 'display_name', 'Somebody'));
      end $$;
    create function public.kept(old jsonb) returns boolean language sql as $$ select old ->> 'email' <> 'bob@example.org' $$;
    grant insert on public.saves to service_user`);
  const ada = await register('ada@example.org');
  t.equal((await request('/auth/me', { as: ada.access })).body.user.displayName, 'Somebody',
    'what a callback makes of the row the account is');
  const bob = await register('bob@example.org');
  t.same(refusal(await request('/auth/register',
    { method: 'POST', as: null, body: '{"email":"x@spam.example","password":"Correct-horse-1"}' })), [400, 'CALLBACK_REJECTED']);
  await data('PATCH', `users/${bob.uid}`, { displayName: 'Bob', bio: 'b' }, ada.access);
  await request('/auth/me', { method: 'PATCH', as: bob.access, body: '{"displayName":"Robert"}' });
  t.same(await sql`select * from saves where email = 'bob@example.org'`,
    [{ op: 'INSERT', email: 'bob@example.org' }, { op: 'UPDATE', email: 'bob@example.org' }, { op: 'UPDATE', email: 'bob@example.org' }]);
  const { body: { data: entries } } = await data('GET', `users/${bob.uid}/history`);
  t.match(entries, [{ action: 'update' }, { action: 'update' }, { action: 'create' }]);
  t.equal(entries.length, 3);
  t.same(refusal(await request(`/admin/users/${bob.uid}`, { method: 'DELETE' })), [403, 'CALLBACK_REJECTED']);
  t.equal((await request('/auth/me', { as: bob.access })).status, 200);
});

test('hooks of accounts take part in what is made and deleted here', async t => {
  const hooks = { before_user_create: 'before_create', after_user_create: 'after_create', before_user_delete: 'before_delete' };
  const { data, sql } = await club(t, [{ ...users, history: true }, teams, posts], settingsFile(t, { hooks }), `
    create table public.made (email text, name text);
    create function public.before_create(account jsonb) returns jsonb language plpgsql as $$
      begin
        if account ->> 'email' like '%@spam.example' then raise 'no spam'; end if;
        return '{"displayName": "Somebody", "roles": ["member"]}';
      end $$;
    create function public.after_create(account jsonb) returns void language sql as $$ insert into public.made
    values (account ->> 'email', account ->> 'displayName') $$;
    create function public.before_delete(uid text, by_uid text) returns void language plpgsql as $$ begin raise '% keeps them', by_uid;
    end $$`);
  t.same(refusal(await data('POST', 'users', { email: 'x@spam.example' })), [403, 'FORBIDDEN']);
  const made = await data('POST', 'users', { email: 'ada@example.org', bio: 'b' });
  t.match(made, { status: 201, body: { email: 'ada@example.org', displayName: 'Somebody', roles: ['member'], bio: 'b' } });
  t.match((await data('GET', `users/${made.body.id}/history`)).body.data, { length: 1 });
  t.same([...await sql`select * from made`], [{ email: 'ada@example.org', name: 'Somebody' }], 'once');
  t.match((await data('DELETE', `users/${made.body.id}`)).body.error, { code: 'FORBIDDEN', message: 'service keeps them' });
});

test('definitions that cannot hold accounts are refused with their place', async t => {
  const { judge } = await openLoader(t);
  const told = async (...files: File[]) =>
    (await judge(t, Object.fromEntries(files.map(file => [`${file.slug}.json`, file])), 'error')).problems;
  const people = (more: object = {}, properties: object = {}): File => ({ slug: 'people', auth: true, properties, ...more });
  t.same(await told(people(), { slug: 'users', auth: { enabled: true } }),
    ['users.auth: accounts are the rows of people already, and of one collection only']);
  t.same(await told(people(), { slug: 'users', auth: { enabled: false } }, { slug: 'more', auth: false }), []);
  t.match(await told(people({ auth: 'yes' })), [/^people\.auth: /]);
  t.match(await told(people({ softDelete: true, tenant: { field: 'org', from: { claim: 'org' } } }, {
    deletedAt: { type: 'date' }, org: { type: 'string' },
  })), [
    'people.properties.org.validation.required: accounts are made without it: it needs a defaultValue, or may be missing',
    /^people\.softDelete: a deleted account is gone/, /^people\.tenant: an account is made before/,
  ]);
  t.same(await told(people({}, { id: { type: 'number', isId: 'increment' } })),
    ['people.properties.id.isId: the key of an account is a text or a uuid, its uid']);
  t.same(await told(people({}, {
    email: { type: 'number' }, roles: { type: 'array', of: { type: 'number' } }, disabled: { type: 'string' },
    displayName: { type: 'string', validation: { required: true } }, team: { type: 'string', validation: { required: true } },
    level: { type: 'number', defaultValue: 1, validation: { required: true } },
  })), [
    'people.properties.disabled.type: disabled of an account is boolean, and here it would be text',
    'people.properties.displayName.validation.required: accounts are made without it: it needs a defaultValue, or may be missing',
    'people.properties.email.type: email of an account is text, and here it would be numeric',
    'people.properties.roles.type: roles of an account is text[], and here it would be numeric[]',
    'people.properties.team.validation.required: accounts are made without it: it needs a defaultValue, or may be missing',
  ]);
  t.same(await told(people({ securityRules: [{ name: 'people_require_admin_write_update', operation: 'update', access: 'public' }] })), [
    'people.securityRules[0].name: people_require_admin_write_update is a policy of the service',
  ]);
});

test('a change of an account that is given up for another\'s sake is tried once more', async t => {
  const { register, request, sql } = await club(t, [{ slug: 'users', auth: true }]);
  const ada = await register('ada@example.org');
  await sql.unsafe(`
    create sequence tries; -- no rollback takes a number back
    create function collide() returns trigger language plpgsql as $$
      begin
        if nextval('tries') = 1 then raise sqlstate '40P01'; end if;
        return new;
      end $$;
    create trigger collide before update on users for each row execute function collide()`).simple();
  t.match(await request('/auth/me', { method: 'PATCH', as: ada.access, body: '{"displayName":"Ada"}' }),
    { status: 200, body: { user: { displayName: 'Ada' } } });
});
