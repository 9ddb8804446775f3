// A change that a start would end by is refused before it is committed; after one that was applied, the next start succeeds.
import { test } from 'tap';
import { projectFolder, posts, serveFolder, withProperty } from '../editing/project.ts';
import { provisionOnly } from '../harness/service.ts';

const ruled = (...securityRules: object[]) => ({ ...posts, securityRules });

/** None of these is anything that the form of a definition shows. */
const FATAL: [what: string, collection: object, says: RegExp][] = [
  [
    'a subquery as a default', { properties: { id: { type: 'string', isId: '(select 1)::text' } } },
    /cannot use subquery in DEFAULT expression/,
  ],
  [
    'an aggregate as a default', { properties: { id: { type: 'number', isId: 'count(1)' } } },
    /aggregate functions are not allowed in DEFAULT expressions/,
  ],
  [
    'a set as a default', { properties: { id: { type: 'number', isId: 'generate_series(1, 2)' } } },
    /set-returning functions are not allowed in DEFAULT expressions/,
  ],
  [
    'a column as a default', { properties: { id: { type: 'string', isId: 'title' }, title: { type: 'string' } } },
    /cannot use column reference in DEFAULT expression/,
  ],
  [
    'a default of another type', { properties: { id: { type: 'string', columnType: 'uuid', isId: `md5('a')` } } },
    /column "value" is of type uuid but default expression is of type text/,
  ],
  ['a default that fails', { properties: { id: { type: 'number', isId: '1 / 0' } } }, /division by zero/],
  ['a rule that calls nothing', ruled({ using: 'no_such_function()' }), /function no_such_function\(\) does not exist/],
  ['a rule that is no condition', ruled({ using: `'a'::text` }), /must be type boolean|invalid input syntax/],
  ['a rule that reads what requests may not', ruled({ using: 'exists (select from service.users)' }), /permission denied/],
  ['a rule that asks its own table', ruled({ using: 'exists (select from posts)' }), /infinite recursion/],
  [
    'an index of what has no order',
    { ...withProperty('settings', { type: 'map', columnType: 'json' }), indexes: [{ on: ['settings'], reason: 'none' }] }, /./,
  ],
];

test('a change that would end a start is not committed', async t => {
  const folder = projectFolder(t);
  const { send, sql, url } = await serveFolder(t, folder);
  const [sha, before] = [folder.git('rev-parse', 'HEAD'), await sql`select oid from pg_class where relpersistence <> 't'`];
  for (const [what, collection, says] of FATAL) {
    const collectionId = 'title' in ((collection as { properties: object }).properties)
      && 'state' in (collection as { properties: object }).properties ? 'posts' : 'other';
    const { status, body } = await send('/admin/schema/apply', { collectionId, collection });
    t.match([status, body.error?.code, body.error?.message], [400, 'SCHEMA_CHANGE_FAILED', says], what);
    t.match(await send('/admin/schema-editor/collection/save', { collectionId, collectionData: collection }),
      { status: 400, body: { error: { code: 'SCHEMA_EDIT_REFUSED' } } }, `editor: ${what}`);
  }
  t.same([folder.git('rev-parse', 'HEAD'), folder.git('status', '--porcelain')], [sha, ''], 'nothing is written');
  t.same(await sql`select oid from pg_class where relpersistence <> 't'`, before, 'nothing is left of what was tried');
  t.same(await sql`select slug from service.collections`, [{ slug: 'posts' }]);
  await t.resolves(provisionOnly(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections }));
});

test('a label that is new and used at once is applied; with a fault beside it nothing is committed', async t => {
  const folder = projectFolder(t);
  const { send, sql, url } = await serveFolder(t, folder);
  const gone = withProperty('state', { type: 'string', enum: ['draft', 'live', 'gone'], defaultValue: 'gone' });
  const rule = (using: string) => ({ ...gone, securityRules: [{ operation: 'select', using }] });
  const sha = folder.git('rev-parse', 'HEAD');
  const refused = await send('/admin/schema/apply', { collectionId: 'posts', collection: rule(`{state} = 'gone' and no_such_function()`) });
  t.match(refused, { status: 400, body: { error: { code: 'SCHEMA_CHANGE_FAILED', message: /no_such_function/ } } });
  t.equal(folder.git('rev-parse', 'HEAD'), sha);
  await t.resolves(provisionOnly(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections }));
  t.match(await send('/admin/schema/apply', { collectionId: 'posts', collection: rule(`{state} = 'gone'`) }),
    { status: 200, body: { applied: true } });
  await sql`insert into posts (title) values ('a')`;
  t.same(await sql`select state from posts`, [{ state: 'gone' }]);
  await t.resolves(provisionOnly(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections }));
});

test('a change that a rule of files does not survive is not committed', async t => {
  const folder = projectFolder(t);
  folder.write('../rowgate.json',
    { storage: { policies: [{ path: 'covers/:id/**', operations: ['read'], allow: { row: 'posts', id: 'id' } }] } });
  const env = { SERVICE_CONFIG_FILE: `${folder.root}/rowgate.json` };
  const { send, url } = await serveFolder(t, folder, env);
  const { status, body } = await send('/admin/schema/apply', { collectionId: 'posts', collection: { ...posts, exposed: false } });
  t.match([status, body.error?.code, body.error?.message],
    [400, 'SCHEMA_CHANGE_FAILED', /storage\.policies\[0\]\.allow\.row of the settings file: there is no collection posts/]);
  await t.resolves(provisionOnly(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections, ...env }));
});

test('a unique index that rows do not allow ends no start', async t => {
  const folder = projectFolder(t);
  const { send, sql, url } = await serveFolder(t, folder);
  await sql`insert into posts (title) values ('same'), ('same')`;
  const collection = {
    ...posts, indexes: [{ on: ['title', 'state'], unique: true, reason: 'one of each' }, { on: ['title'], reason: 'found by it' }],
    securityRules: [{ using: 'true' }],
  };
  await sql`update posts set state = 'draft'`;
  t.match(await send('/admin/schema/apply', { collectionId: 'posts', collection }), { status: 200, body: { applied: true } });
  await t.resolves(provisionOnly(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections }));
});

test('while the project has migrations to run, nothing is applied', async t => {
  const folder = projectFolder(t);
  const { send } = await serveFolder(t, folder);
  const { mkdirSync, writeFileSync } = await import('node:fs');
  mkdirSync(`${folder.root}/migrations/committed`, { recursive: true });
  writeFileSync(`${folder.root}/migrations/committed/000001.sql`, '--! Previous: -\n--! Hash: sha1:0\n\nselect 1;\n');
  const change = { collectionId: 'posts', collection: withProperty('subtitle', { type: 'string' }) };
  t.match(await send('/admin/schema/apply', change),
    { status: 400, body: { error: { code: 'SCHEMA_CHANGE_FAILED', message: /has migrations that the database lacks/ } } });
  t.match(await send('/admin/schema/plan', change), { status: 200 });
});
