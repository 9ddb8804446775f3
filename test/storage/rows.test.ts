import { test } from 'tap';
import type { StoragePolicySetting } from '../../gateway/features/storage/settings-file.ts';
import { serveAsked } from './asked.ts';

const text = { type: 'string' };
const mine = '{author} = service.uid()';
const rules = [
  { operation: 'select', using: `{published} or ${mine} or {editors} like '%' || service.uid() || '%'` },
  { operation: 'update', using: `${mine} or {editors} like '%' || service.uid() || '%'`, withCheck: 'true' },
];
const properties = { author: text, editors: text, published: { type: 'boolean' } };
const collection = (slug: string, id: object, more: object = {}) =>
  ({ slug, properties: { id, ...properties }, securityRules: rules, ...more });
const COLLECTIONS = [
  {
    ...collection('posts', { type: 'number', isId: 'increment' }), softDelete: true,
    properties: { id: { type: 'number', isId: 'increment' }, ...properties, deletedAt: { type: 'date' } },
  },
  collection('notes', { type: 'string', isId: 'manual' }),
  collection('docs', { type: 'string', isId: 'uuid', columnType: 'uuid' }),
  // A caller that may not update a row may still see it, whatever its rights on others.
  {
    slug: 'blind', properties: { id: { type: 'number', isId: 'increment' }, author: text },
    securityRules: [{ operation: 'update', using: 'true', withCheck: 'true' }],
  },
];
const policy = (row: string, operations?: StoragePolicySetting['operations']): StoragePolicySetting =>
  ({ path: `${row}/:id/**`, allow: { row, id: 'id' }, ...(operations && { operations }) });

const UUID = 'a0000000-0000-4000-8000-000000000001';
const SETUP = `
  insert into posts (author, editors, published) values ('ada', '', true), ('ada', 'bob', false), ('ada', '', true);
  update posts set deleted_at = now() where id = 3;
  insert into notes values ('a%b', 'ada', '', true), ('it''s', 'ada', '', false);
  insert into docs values ('${UUID}', 'ada', '', false);
  insert into blind (author) values ('ada');`;

const NO = '403 FORBIDDEN';
const SIGN_IN = '401 UNAUTHORIZED';
/** For read, list, write and delete in this order; one for all, or two for reading and writing. */
const CASES: [who: string | null, key: string, reading: string, writing: string][] = [
  ['ada', 'posts/1/a', 'yes', 'yes'], ['bob', 'posts/1/a', 'yes', NO], [null, 'posts/1/a', 'yes', SIGN_IN],
  ['eva:admin', 'posts/1/a', 'yes', 'yes'], ['service', 'posts/1/a', 'yes', 'yes'], ['ada', 'posts/2/a', 'yes', 'yes'],
  ['bob', 'posts/2/a/b/c', 'yes', 'yes'], ['eva', 'posts/2/a', NO, NO], [null, 'posts/2/a', SIGN_IN, SIGN_IN], ['ada', 'posts/3/a', NO, NO],
  ['service', 'posts/3/a', NO, NO], ['ada', 'posts/99/a', NO, NO], ['ada', 'posts/one/a', NO, NO], ['ada', 'posts/1 /a', 'yes', 'yes'],
  ['ada', 'posts/99999999999999999999/a', NO, NO], ['ada', 'posts/1.0/a', NO, NO], ['ada', "posts/1' or true--/a", NO, NO],
  ['ada', 'posts/', NO, NO], ['ada', 'posts/1', 'yes', 'yes'], ['ada', 'notes/a%b/a', 'yes', 'yes'], ['bob', 'notes/a%b/a', 'yes', NO],
  ['ada', "notes/it's/a", 'yes', 'yes'], ['bob', "notes/it's/a", NO, NO], ['ada', 'notes/1/a', NO, NO],
  ['ada', `docs/${UUID}/a`, 'yes', 'yes'], ['bob', `docs/${UUID}/a`, NO, NO], ['ada', `docs/${UUID.toUpperCase()}/a`, 'yes', 'yes'],
  ['ada', 'docs/1/a', NO, NO], ['ada', 'blind/1/a', NO, NO], ['service', 'blind/1/a', 'yes', 'yes'],
];

test('callers that see a row read its files, and those that may change it write them', async t => {
  const asked = await serveAsked(t, { policies: COLLECTIONS.map(({ slug }) => policy(slug)) }, { collections: COLLECTIONS });
  await asked.sql.unsafe(SETUP).simple();
  for (const [who, key, reading, writing] of CASES) {
    for (const operation of ['read', 'list', 'write', 'delete'] as const) {
      t.equal(await asked.may(who, operation, key), operation === 'read' || operation === 'list' ? reading : writing,
        `${who ?? 'nobody'} ${operation} ${key}`);
    }
  }
  const { sql } = asked;
  const answers = async () => [await asked.may('bob', 'read', 'posts/2/a'), await asked.may('bob', 'write', 'posts/2/a')];
  await sql`update posts set editors = '' where id = 2`;
  t.same(await answers(), [NO, NO], 'as soon as the row says so');
  await sql`update posts set published = true where id = 2`;
  t.same(await answers(), ['yes', NO]);
  await sql.begin(async transaction => {
    await transaction`update posts set editors = 'bob' where id = 2`;
    t.same(await answers(), ['yes', NO], 'nobody waits for whoever changes the row');
  });
  t.same(await answers(), ['yes', 'yes']);
  await sql`revoke update on posts from service_user`;
  t.same(await answers(), ['yes', NO], 'what nobody may do with rows, nobody may do with their files');
  await sql`drop table notes`;
  t.not(await asked.may('ada', 'read', 'notes/a%b/a'), 'yes');
});

test('the same holds where collections are tables, with keys of several columns and views', async t => {
  const asked = await serveAsked(t, { policies: ['pairs', 'seen', 'parts', 'days'].map(row => policy(row)) }, { setup: `
    create table pairs (a integer, b text, owner text, primary key (a, b));
    alter table pairs enable row level security; create policy own on pairs using (owner = (select service.uid()));
    insert into pairs values (1, 'x', 'ada'), (1, 'y', 'bob');
    create table parts (id bigint primary key, owner text) partition by range (id);
    create table parts_1 partition of parts for values from (0) to (10);
    alter table parts enable row level security; create policy own on parts using (owner = service.uid());
    insert into parts values (1, 'ada'), (2, 'bob');
    create table days (id date primary key, owner text);
    alter table days enable row level security; create policy own on days using (owner = service.uid());
    insert into days values ('2026-01-31', 'ada');
    create view seen with (security_invoker) as select id, owner from parts;
    comment on view seen is '@key id';` });
  for (const [who, key, reading, writing] of [
    ['ada', 'pairs/1:::x/f', 'yes', 'yes'], ['ada', 'pairs/1:::y/f', NO, NO], ['bob', 'pairs/1:::y/f', 'yes', 'yes'],
    ['ada', 'pairs/1/f', NO, NO], ['ada', 'pairs/x:::1/f', NO, NO], ['ada', 'days/2026-01-31/f', 'yes', 'yes'],
    ['bob', 'days/2026-01-31/f', NO, NO], ['ada', 'days/2026-02-31/f', NO, NO], ['ada', 'parts/1/f', 'yes', 'yes'],
    ['ada', 'parts/2/f', NO, NO], ['ada', 'seen/1/f', 'yes', NO], ['ada', 'seen/2/f', NO, NO],
  ] as const) {
    t.equal(await asked.may(who, 'read', key), reading, `${who} reads ${key}`);
    t.equal(await asked.may(who, 'write', key), writing, `${who} writes ${key}`);
  }
});
