import type postgres from 'postgres';
import t, { test } from 'tap';
import { attempt, attempts, seen } from './callers.ts';
import { type Declared, define, fingerprint, plan, provision, provisioned } from './declared.ts';

const DENIED = '42501';
const onlyAdmin = { nobody: 0, owner: 0, other: 0, editor: 0, admin: 1, serviceKey: 1, anonymous: 0 };
const insertOnlyAdmin = { ...refused(), admin: 1, serviceKey: 1 };

function refused(): Awaited<ReturnType<typeof attempts>> {
  return { nobody: DENIED, owner: DENIED, other: DENIED, editor: DENIED, admin: DENIED, serviceKey: DENIED, anonymous: DENIED };
}

function notes(rest: Partial<Declared>): Record<string, Declared> {
  return {
    users: { columns: { id: { type: 'text' } }, securityRules: [{ operation: 'select', access: 'public' }] },
    notes: {
      columns: {
        id: { type: 'integer' }, ownerId: { type: 'text', columnName: 'owner_id' }, title: { type: 'text' },
        open: { type: 'boolean', default: 'false' },
      },
      relations: { owner: { kind: 'belongsTo', target: 'users', column: 'owner_id' } },
      ...rest,
    },
  };
}

const ROWS = `insert into users values ('u1'), ('u2'), ('u3'), ('u4'), ('service'), ('anonymous');
  insert into notes (id, owner_id, title, open) values (1, 'u1', 'one', false), (2, 'u2', 'two', true),
  (3, 'u3', 'three', false), (4, null, 'four', false);`;

const shared = await provisioned(t);

/** Made anew, with its rows. */
async function ruled(rest: Partial<Declared>): Promise<postgres.Sql> {
  await shared`drop table if exists notes, users`;
  await define(shared, notes(rest));
  await provision(shared);
  await shared.unsafe(ROWS).simple();
  return shared;
}

test('without rules only admin gets in', async t => {
  const sql = await ruled({});
  t.same(await seen(sql, 'notes'), { owner: [], other: [], editor: [], admin: [1, 2, 3, 4], serviceKey: [1, 2, 3, 4], anonymous: [] });
  t.same(await attempts(sql, `insert into notes values (9, 'u1')`), insertOnlyAdmin);
  t.same(await attempts(sql, `update notes set title = 'x' where id = 1`), onlyAdmin);
  t.same(await attempts(sql, 'delete from notes where id = 1'), onlyAdmin);
  t.same(await policies(sql), { notes_default_admin: '*' });
});

test('disableDefaultPolicies locks admin out too', async t => {
  const sql = await ruled({ disableDefaultPolicies: true });
  t.same((await seen(sql, 'notes')).admin, []);
  t.same(await attempts(sql, `insert into notes values (9, 'u1')`), refused());
  t.same(await policies(sql), {});
});

test('ownerField: the row of the one it names, by relation or by its foreign key', async t => {
  for (const ownerField of ['owner', 'ownerId', 'owner_id']) {
    const sql = await ruled({ securityRules: [{ ownerField }] });
    t.same(await seen(sql, 'notes'), { owner: [1], other: [2], editor: [3], admin: [1, 2, 3, 4], serviceKey: [1, 2, 3, 4], anonymous: [] });
    t.same(await attempts(sql, `insert into notes values (9, 'u1')`), { ...insertOnlyAdmin, owner: 1 });
    t.same(await attempts(sql, `update notes set title = 'x' where id = 2`), { ...onlyAdmin, other: 1 });
    t.equal(await attempt(sql, 'owner', `update notes set owner_id = 'u2' where id = 1`), DENIED, 'a row cannot be given away');
    t.same(await attempts(sql, 'delete from notes where id = 1'), { ...onlyAdmin, owner: 1 });
    t.equal(await attempt(sql, null, 'insert into notes values (9, null)'), DENIED, 'null is nobody\'s');
  }
});

test('access public is everybody, for the operations it names', async t => {
  const sql = await ruled({
    securityRules: [{ operation: 'select', access: 'public' }, { operations: ['insert', 'delete'], access: 'public', roles: ['editor'] }],
  });
  t.same(await seen(sql, 'notes', 'title'), Object.fromEntries(['owner', 'other', 'editor', 'admin', 'serviceKey', 'anonymous'].map(name =>
    [name, ['one', 'two', 'three', 'four']])));
  t.same(await attempts(sql, 'insert into notes values (9)'), { ...insertOnlyAdmin, editor: 1 });
  t.same(await attempts(sql, `update notes set title = 'x' where id = 3`), onlyAdmin);
  t.same(await attempts(sql, 'delete from notes where id = 3'), { ...onlyAdmin, editor: 1 });
});

test('roles: alone they are the test, beside another form they narrow it', async t => {
  const alone = await ruled({ securityRules: [{ operation: 'all', roles: ['writer', 'chief'] }] });
  t.same(await attempts(alone, `update notes set title = 'x' where id = 1`), { ...onlyAdmin, editor: 1 });
  t.same(await attempts(alone, 'insert into notes values (9)'), { ...insertOnlyAdmin, editor: 1 });
  const narrowed = await ruled({ securityRules: [{ ownerField: 'owner', roles: ['editor'] }] });
  t.same(await seen(narrowed, 'notes'),
    { owner: [], other: [], editor: [3], admin: [1, 2, 3, 4], serviceKey: [1, 2, 3, 4], anonymous: [] });
  const none = await ruled({ securityRules: [
    { access: 'public', roles: [] }, { operation: 'select' }, { operation: 'select', condition: { kind: 'maybe' } },
    { operation: 'select', condition: { kind: 'not', operand: { kind: 'maybe' } } }, { operation: 'select', access: 'private' },
  ] });
  t.same((await seen(none, 'notes')).other, [], 'what compiles to nothing is false');
});

test('using and withCheck: SQL of the author', async t => {
  const sql = await ruled({
    securityRules: [
      {
        operation: 'select',
        using: `{open} or {owner} = auth.uid() or 'editor' = any (string_to_array(auth.roles(), ',')) and '{open}' <> ''`,
      },
      { operation: 'insert', withCheck: `{owner_id} = (select auth.uid()) and {title} <> 'it''s {title}'` },
      { operation: 'update', using: 'true', withCheck: `auth.jwt() ->> 'org_id' = 'o1'` },
      { operation: 'delete', using: `{owner} in (select users.id from users where users.id = service.uid())`, withCheck: 'false' },
    ],
  });
  t.same(await seen(sql, 'notes'),
    { owner: [1, 2], other: [2], editor: [1, 2, 3, 4], admin: [1, 2, 3, 4], serviceKey: [1, 2, 3, 4], anonymous: [2] });
  t.same(await attempts(sql, `insert into notes values (9, 'u1', 'nine')`), { ...insertOnlyAdmin, owner: 1 });
  t.same(await attempts(sql, `insert into notes values (9, 'u1', 'it''s {title}')`), insertOnlyAdmin);
  t.same(await attempts(sql, `update notes set title = 'x' where id = 2`), { ...refused(), owner: 1, admin: 1, serviceKey: 1 });
  t.same(await attempts(sql, 'delete from notes where id = 1'), { ...onlyAdmin, owner: 1 });
  const calls = await sql<{ text: string }[]>`select concat(qual, with_check) as text from pg_policies where tablename = 'notes'`;
  t.ok(calls.every(({ text }) => !/(?<!SELECT )service\.(uid|roles|jwt)\(\)/.test(text.replaceAll(/SELECT \(?string_to_array\(service/g,
    'SELECT service'))), 'identity is asked once a query');
});

test('restrictive rules narrow everybody, admin included', async t => {
  const sql = await ruled({ securityRules: [
    { operation: 'select', access: 'public' },
    { operations: ['select', 'update'], mode: 'restrictive', using: '{open}', name: 'only_open' },
  ] });
  t.same(await seen(sql, 'notes'), { owner: [2], other: [2], editor: [2], admin: [2], serviceKey: [2], anonymous: [2] });
  t.equal(await attempt(sql, 'admin', 'update notes set open = false where id = 2'), DENIED);
  t.has(await policies(sql), { only_open_select: 'r', only_open_update: 'w' });
});

test('names: the rule\'s, with the operation for several, else the table, the operation and a hash', async t => {
  const table = 'ü'.repeat(31);
  const sql = await provisioned(t, {
    long: {
      table, columns: { id: { type: 'integer' } }, securityRules: [
        { operation: 'select', access: 'public', name: 'Readable "by" all' },
        { operations: ['insert', 'update'], access: 'public', name: 'write' }, { operation: 'delete', access: 'public' },
        { operation: 'delete', access: 'public' }, { operation: 'delete', roles: ['x'], name: 'write_insert' },
        { operation: 'delete', access: 'public', pgRoles: ['service_user'] },
      ],
    },
  });
  const names = Object.keys(await policies(sql, table));
  t.equal(names.length, 7, 'the same rule twice is one policy');
  t.ok(names.every(name => Buffer.byteLength(name) <= 63));
  t.match(names.sort().join('\n'), /^Readable "by" all$/m);
  t.match(names.join('\n'), /^write_update$/m);
  t.match(names.join('\n'), /^write_insert_[0-9a-f]{7}$/m, 'another rule of that name');
  t.match(names.join('\n'), /^ü+_[0-9a-f]{7}_delete_[0-9a-f]{7}$/m);
  t.match(names.join('\n'), /^ü+_[0-9a-f]{7}_default_admin$/m);
  t.same(await plan(sql), []);
});

test('a rule that changes replaces its policy and no other; one that goes takes its policy with it', async t => {
  const sql = await ruled({ securityRules: [
    { name: 'a', operation: 'select', access: 'public' }, { name: 'b', operation: 'insert', access: 'public' },
    { name: 'c', operation: 'delete', access: 'public' },
  ] });
  await sql`create policy by_hand on notes for delete using (false)`;
  await sql`alter policy c on notes using (false)`;
  const before = await sql`select oid, polname from pg_policy order by 2`;
  await define(sql, notes({
    securityRules: [{ name: 'a', operation: 'select', ownerField: 'owner' }, { name: 'c', operation: 'delete', access: 'public' }],
  }));
  t.match((await provision(sql)).map(({ statement }) => statement),
    [/^drop policy a on public.notes;\s+create policy a on /, /^drop policy b on public.notes$/]);
  const after = new Map((await sql`select polname, oid from pg_policy`).map(row => [row['polname'] as string, row['oid'] as number]));
  t.same(before.filter(row => after.get(row['polname'] as string) !== row['oid']).map(row => row['polname'] as string), ['a', 'b']);
  t.match(await plan(sql), [
    {
      kind: 'policy', target: 'public.notes.c', verdict: 'report', statement: null, detail: /changed by hand/,
      remedy: /^drop policy c on public.notes;\s+create policy c/,
    },
    { kind: 'policy', target: 'public.notes.by_hand', verdict: 'report', statement: null },
  ]);
  t.same(await provision(sql), []);
});

test('wrong SQL stops everything, all of it is reported, and nothing changes', async t => {
  const sql = await provisioned(t, notes({}));
  const before = await fingerprint(sql);
  await t.rejects(define(sql, notes({ securityRules: [{ operation: 'select', using: '{nothing} = 1' }] })), {
    code: 'GW400', hint: 'SCHEMA_CHANGE_FAILED',
    message: 'notes.securityRules[0].using: {nothing} is no field of notes; it has id, ownerId, title, open',
  });
  await define(sql, {
    ...notes({ securityRules: [{ operation: 'select', using: '{title} = 1' }] }),
    more: { columns: { id: { type: 'integer' } }, securityRules: [{ operation: 'select', using: 'missing = auth.uid()' }] },
  });
  const error = await provision(sql).catch((failure: unknown) => failure as postgres.PostgresError) as postgres.PostgresError;
  t.equal(error.code, 'GW400');
  t.equal(error.hint, 'SCHEMA_CHANGE_FAILED');
  const { failures } = JSON.parse(error.detail ?? '{}') as { failures: { target: string; message: string }[] };
  t.match(failures, [
    { target: /^public.more.more_select_/, message: /column "missing" does not exist/ },
    { target: /^public.notes.notes_select_/, message: /operator does not exist/ },
  ]);
  t.same((await fingerprint(sql)).filter(line => !before.includes(line)), []);
});

test('rules that no request could pass are refused, not found out by the first one', async t => {
  const declared = (using: string): Record<string, Declared> => ({
    a: { columns: { id: { type: 'integer' } }, securityRules: [{ operation: 'update', using }] },
    b: { columns: { id: { type: 'integer' } } },
  });
  const sql = await provisioned(t, declared('{id} in (select b.id from b)'), 'create table hidden (id int)');
  for (const [using, message] of [
    ['{id} in (select x.id from a x)', /infinite recursion/],
    ['{id} in (select hidden.id from hidden)', /permission denied for table hidden/],
  ] as const) {
    await define(sql, declared(using));
    await t.rejects(provision(sql), { code: 'GW400', hint: 'SCHEMA_CHANGE_FAILED', message });
    t.match(await sql`select pg_get_expr(polqual, polrelid) as using from pg_policy where polname like 'a_update_%'`, [{ using: /FROM b/ }],
      'the former rule stays');
  }
});

test('links of a junction: seen with both rows, written by who may update the declaring one', async t => {
  const rules = [
    { operation: 'select', using: `{owner} = auth.uid() or {id} < 10` }, { operation: 'update', ownerField: 'owner' },
    { operation: 'update', roles: ['editor'] },
    { operation: 'delete', access: 'public' },
  ];
  const declared = (...more: object[]): Record<string, Declared> => ({
    posts: {
      columns: { id: { type: 'integer' }, owner: { type: 'text' }, locked: { type: 'boolean', default: 'false' } },
      relations: { tags: {
        kind: 'manyToMany', target: 'tags', junction: 'posts_tags', source: 'post_id', targetColumn: 'tag_id',
        pivot: { n: { type: 'integer' } },
      } },
      securityRules: [...rules, ...more],
    },
    tags: {
      columns: { id: { type: 'integer' }, hidden: { type: 'boolean', default: 'false' } },
      securityRules: [{ operation: 'select', using: 'not {hidden}' }],
    },
  });
  const sql = await provisioned(t, declared());
  await sql.unsafe(`insert into posts values (1, 'u1'), (2, 'u2'), (10, 'u1'); insert into tags values (1, false), (2, false), (3, true);
    insert into posts_tags values (1, 1), (2, 1), (10, 1), (1, 3);`).simple();
  const links = (name: Parameters<typeof attempt>[1]) => attempt(sql, name, 'select * from posts_tags');
  t.same([await links(null), await links('owner'), await links('other'), await links('admin'), await links('anonymous')], [2, 3, 2, 4, 2]);
  t.same(await attempts(sql, 'insert into posts_tags values (1, 2)'), { ...insertOnlyAdmin, owner: 1, editor: 1 });
  t.same(await attempts(sql, 'delete from posts_tags where post_id = 1 and tag_id = 1'), { ...onlyAdmin, owner: 1, editor: 1 });
  t.same(await attempts(sql, 'update posts_tags set n = 1 where post_id = 1 and tag_id = 1'), { ...onlyAdmin, owner: 1, editor: 1 });
  t.equal(await attempt(sql, 'owner', 'insert into posts_tags values (2, 2)'), DENIED, 'another\'s post');
  t.equal(await attempt(sql, 'owner', 'insert into posts_tags values (10, 3)'), DENIED, 'a tag that is not seen');
  t.equal(await attempt(sql, 'editor', 'insert into posts_tags values (10, 2)'), DENIED, 'a post that is not seen');
  t.equal(await attempt(sql, 'owner', 'update posts_tags set post_id = 2, tag_id = 2 where post_id = 1 and tag_id = 1'), DENIED,
    'a link cannot be moved to another\'s post');

  await define(sql, declared({ operation: 'update', mode: 'restrictive', ownerField: 'owner' }));
  await provision(sql);
  t.same(await attempts(sql, 'insert into posts_tags values (1, 2)'), { ...refused(), owner: 1 },
    'a restriction of the side holds for admin too');
  await define(sql, declared({ operation: 'update', mode: 'restrictive', using: 'not {locked}' }));
  await provision(sql);
  t.same(await attempts(sql, 'insert into posts_tags values (1, 2)'), insertOnlyAdmin, 'SQL that restricts leaves links to admin');
  t.same(await plan(sql), []);
});

test('a relation to its own table, and both sides declaring one junction', async t => {
  const sql = await provisioned(t, {
    people: {
      columns: { id: { type: 'text' } },
      relations: {
        friends: { kind: 'manyToMany', target: 'people', junction: 'people_friends', source: 'person_id', targetColumn: 'friend_id' },
      },
      securityRules: [{ operation: 'select', access: 'public' }, { operation: 'update', ownerField: 'id' }],
    },
    a: {
      columns: { id: { type: 'integer' } },
      relations: { bs: { kind: 'manyToMany', target: 'b', junction: 'a_b', source: 'a_id', targetColumn: 'b_id', onDelete: 'restrict' } },
      securityRules: [{ operations: ['select', 'update'], roles: ['editor'] }],
    },
    b: {
      columns: { id: { type: 'integer' } },
      relations: { as: { kind: 'manyToMany', target: 'a', junction: 'a_b', source: 'b_id', targetColumn: 'a_id' } },
      securityRules: [{ operation: 'select', access: 'public' }],
    },
  });
  await sql.unsafe(`insert into people values ('u1'), ('u2'); insert into a values (1); insert into b values (1);`).simple();
  t.same(await attempts(sql, `insert into people_friends values ('u1', 'u2')`), { ...insertOnlyAdmin, owner: 1 });
  t.same(await attempts(sql, 'insert into a_b values (1, 1)'), { ...insertOnlyAdmin, editor: 1 });
  t.match(await sql`select pg_get_constraintdef(oid) as d from pg_constraint where conrelid = 'a_b'::regclass and contype = 'f'`,
    [{ d: /RESTRICT$/ }, { d: /RESTRICT$/ }], 'the first says what happens on delete');
});

async function policies(sql: postgres.Sql, table = 'notes'): Promise<Record<string, string>> {
  const rows = await sql<{ name: string; command: string }[]>`
    select polname as name, polcmd::text as command from pg_policy join pg_class c on c.oid = polrelid where c.relname = ${table}`;
  return Object.fromEntries(rows.map(({ name, command }) => [name, command]));
}
