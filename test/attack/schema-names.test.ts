// Names of a proposal: those that are the service's, those that are too long, and what they cost.
import { test } from 'tap';
import { projectFolder, posts, serveFolder, withProperty } from '../editing/project.ts';

const long = (bytes: number) => 'a'.repeat(bytes);
const string = { type: 'string' };
const linked = (through: object) => ({ ...posts, relations: [{ relationName: 'friends', kind: 'manyToMany', target: 'posts', through }] });

/** Each is refused before anything is asked of the database, with the place where it stands. */
const NAMES: [what: string, id: string, collection: object, path: string][] = [
  ['the rules of every collection', '_defaults', { defaultSecurityRules: [{ access: 'public' }] }, 'collectionId'],
  ['a route', '_batch', posts, 'collectionId'],
  ['any other that begins so', '_', posts, 'collectionId'],
  ['a manifest', 'package', posts, 'collectionId'],
  ['a manifest, in capitals', 'Package', posts, 'collectionId'],
  ['the settings', 'rowgate', posts, 'collectionId'],
  ['64 bytes', long(64), posts, 'collectionId'],
  ['16 KB', long(16_384), posts, 'collectionId'],
  ['a property of the service', 'posts', withProperty('_score', string), 'collection.properties._score'],
  ['a property that begins with _', 'posts', withProperty('_note', string), 'collection.properties._note'],
  ['a long property', 'posts', withProperty(long(64), string), `collection.properties.${long(63)}`],
  ['a long property, in bytes', 'posts', withProperty('ä'.repeat(32), string), `collection.properties.${'ä'.repeat(32)}`],
  ['a long column', 'posts', withProperty('note', { ...string, columnName: long(64) }), 'collection.properties.note.columnName'],
  ['a long table', 'posts', { ...posts, table: long(64) }, 'collection.table'],
  ['a long schema', 'posts', { ...posts, schema: long(64) }, 'collection.schema'],
  ['a long junction', 'posts', linked({ table: long(64) }), 'collection.relations.0.through.table'],
  ['a long column of a junction', 'posts', linked({ sourceColumn: long(64) }), 'collection.relations.0.through.sourceColumn'],
  [
    'a long property of a junction', 'posts', linked({ properties: { [long(64)]: string } }),
    `collection.relations.0.through.properties.${long(63)}`,
  ],
  [
    'a long relation', 'posts', { ...posts, relations: [{ relationName: long(64), kind: 'hasMany', target: 'posts' }] },
    'collection.relations.0.relationName',
  ],
  [
    'a long foreign key', 'posts',
    withProperty('owner', { type: 'relation', relation: { kind: 'belongsTo', target: 'posts', localKey: long(64) } }),
    'collection.properties.owner.relation.localKey',
  ],
];

test('names of the service and long names are refused where they stand, by every door', async t => {
  const folder = projectFolder(t);
  const { send, sql } = await serveFolder(t, folder);
  const files = folder.git('status', '--porcelain');
  for (const [what, collectionId, collection, path] of NAMES) {
    for (const route of ['plan', 'apply']) {
      t.match(await send(`/admin/schema/${route}`, { collectionId, collection }),
        { status: 400, body: { error: { code: 'INVALID_CHANGE', details: { path } } } }, `${route}: ${what}`);
    }
    const saved = await send('/admin/schema-editor/collection/save', { collectionId, collectionData: collection });
    t.match(saved, { status: 400, body: { error: { code: 'SCHEMA_EDIT_REFUSED' } } }, `editor: ${what}`);
  }
  for (const action of ['collection/delete', 'property/delete', 'property/save']) {
    t.match(await send(`/admin/schema-editor/${action}`, { collectionId: '_defaults', propertyKey: 'a', propertyConfig: string }),
      { status: 400, body: { error: { code: 'SCHEMA_EDIT_REFUSED' } } });
  }
  t.match(await send('/admin/schema-editor/property/save', { collectionId: 'posts', propertyKey: '_note', propertyConfig: string }),
    { status: 400, body: { error: { code: 'SCHEMA_EDIT_REFUSED' } } });
  t.equal(folder.git('status', '--porcelain'), files);
  t.same((await sql`select slug from service.collections`).map(({ slug }) => slug as string), ['posts']);
});

test('long text that only resembles a name is accepted', async t => {
  const { send } = await serveFolder(t, projectFolder(t));
  const map = { type: 'map', properties: { [long(100)]: string, _part: string, table: string } };
  const collection = { ...withProperty('settings', map), metadata: { table: 'what ever', columnName: 7, path: long(100) } };
  t.match(await send('/admin/schema/plan', { collectionId: 'posts', collection }), { status: 200, body: { verdict: 'safe' } });
});

test('the database is quick about long names of files too', async t => {
  const { sql } = await serveFolder(t, projectFolder(t));
  const definition = {
    slug: long(70_000), properties: { [long(70_000)]: { type: 'string', enum: [long(70_000)] } }, securityRules: [{ access: 'public' }],
  };
  const project = JSON.stringify({ collections: [{ file: 'a.json', definition, broken: [] }], defaults: [], unreadable: [] });
  await sql`set statement_timeout = '2s'`; // it took 20
  const [row] = await sql<{ plan: { problems: { problem: string }[] } }[]>`select service_private.plan_project(${project}::text::jsonb)
    as plan`;
  t.ok(row?.plan.problems.some(({ problem }) => problem.includes('longer than the 63 bytes')));
});

const OPENED = { defaultSecurityRules: [{ access: 'public' }] };

test('the plan shows the effects of a change on other collections', async t => {
  const folder = projectFolder(t);
  folder.write('notes.json', { slug: 'notes', properties: posts.properties });
  const { send } = await serveFolder(t, folder);
  const labelled = { collectionId: 'posts', collection: { ...posts, name: 'Articles' } };
  t.match(await send('/admin/schema/plan', labelled), { body: { changes: [], message: 'Change posts' } });
  folder.write('_defaults.json', OPENED);
  t.match(await send('/admin/schema/plan', labelled), { body: {
    verdict: 'safe',
    changes: [{ kind: 'change-collection', verdict: 'safe', collection: 'notes', detail: 'Its securityRules would change.' }],
    statements: [/create policy \S+ on public\.notes/],
  } }, 'the rules of the folder changed meanwhile');
  folder.git('rm', '--cached', '--quiet', '--ignore-unmatch', '_defaults.json');
  const linking = {
    ...posts, properties: { ...posts.properties, notes: { type: 'relation', relation: { kind: 'hasMany', target: 'notes' } } },
  };
  const { body } = await send('/admin/schema/plan', { collectionId: 'posts', collection: linking });
  t.match(body.changes.find(({ kind }: { kind: string }) => kind === 'add-property'), { collection: 'notes', property: 'postId' });
});
