// The schema editor: collection files are rewritten, nothing else.
import { rmSync } from 'node:fs';
import { test } from 'tap';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { id, POSTS, posts, PRODUCTION, projectFolder, serveFolder, withProperty } from './project.ts';

const label = { type: 'string' };

test('collections and properties are saved and deleted in their files', async t => {
  const folder = projectFolder(t, 'none');
  const { send, ask, sql } = await serveFolder(t, folder);
  t.same((await ask('/admin/schema-editor/status')).body, { enabled: true });
  const save = async (action: string, body: object) => {
    const { status, body: answer } = await send(`/admin/schema-editor/${action}`, body);
    t.same([status, answer], [200, { success: true }]);
  };
  await save('property/save', { collectionId: 'posts', propertyKey: 'label', propertyConfig: label });
  t.match(JSON.parse(folder.read('posts.json')), { $schema: String, ...withProperty('label', label) });
  await save('property/delete', { collectionId: 'posts', propertyKey: 'label' });
  t.equal(folder.read('posts.json'), POSTS, 'to the last space');
  await save('collection/save', { collectionId: 'posts', collectionData: { name: 'Articles' }, partial: true });
  t.same(JSON.parse(folder.read('posts.json')), { ...JSON.parse(POSTS), name: 'Articles' });
  await save('collection/save', { collectionId: 'posts', collectionData: { properties: posts.properties } });
  t.same(JSON.parse(folder.read('posts.json')),
    { $schema: '../schemas/collection.schema.json', slug: 'posts', properties: posts.properties }, 'what is not there is lost');
  await save('collection/save', { collectionId: 'tags', collectionData: { slug: 'another', properties: { id } } });
  t.same(JSON.parse(folder.read('tags.json')), { slug: 'tags', properties: { id } });
  await save('collection/delete', { collectionId: 'tags' });
  t.throws(() => folder.read('tags.json'));
  await save('collection/delete', { collectionId: 'posts' });
  t.throws(() => folder.read('posts.json'));
  t.same((await sql`select slug from service.collections`).map(({ slug }) => slug as string), ['posts'], 'the database stays as it is');
});

test('changes that are refused', async t => {
  const folder = projectFolder(t, 'none');
  folder.write('links.json',
    { slug: 'links', properties: { id, post: { type: 'relation', relation: { kind: 'belongsTo', target: 'posts' } } } });
  const { send } = await serveFolder(t, folder);
  const refusals: [string, object, RegExp][] = [
    ['collection/save', {}, /collectionId/], ['collection/save', { collectionId: 'a/b', collectionData: {} }, /collectionId/],
    ['collection/save', { collectionId: 'posts' }, /collectionData/],
    ['collection/save', { collectionId: 'posts', collectionData: { properties: { id: { type: 'x' } } } }, /unknown type/],
    ['collection/delete', { collectionId: 'nobody' }, /no file of this collection/],
    ['collection/delete', { collectionId: 'posts' }, /links.*posts/],
    ['property/save', { collectionId: 'nobody', propertyKey: 'a', propertyConfig: label }, /no file/],
    ['property/save', { collectionId: 'posts', propertyConfig: label }, /propertyKey/],
    ['property/save', { collectionId: 'posts', propertyKey: 'a' }, /propertyConfig/],
    ['property/save', { collectionId: 'posts', propertyKey: 'a', propertyConfig: { type: 'string', isId: 'uuid' } }, /isId/],
    ['property/delete', { collectionId: 'posts', propertyKey: 'toString' }, /no property/],
    ['property/delete', { collectionId: 'posts', propertyKey: '' }, /propertyKey/],
  ];
  for (const [action, body, message] of refusals) {
    t.match(await send(`/admin/schema-editor/${action}`, body), { status: 400, body: { error: { code: 'SCHEMA_EDIT_REFUSED', message } } },
      `${action} ${JSON.stringify(body)}`);
  }
  t.equal(folder.read('posts.json'), POSTS);
});

test('roles and places of edits', async t => {
  const folder = projectFolder(t, 'none');
  const change = { collectionId: 'posts', propertyKey: 'label', propertyConfig: label };
  const path = '/admin/schema-editor/property/save';
  const open = await serveFolder(t, folder);
  t.match(await open.send(path, change, null), { status: 401 });
  t.match(await open.send(path, change, await tokenFor('ada', ['editor'])), { status: 403 });
  t.match(await open.ask('/admin/schema-editor/status', null), { status: 401 });
  t.match(await open.send(path, change, SERVICE_KEY), { status: 200 });
  const closed: [string, Record<string, string>][] = [
    ['SCHEMA_EDITOR_DISABLED', { SERVICE_SCHEMA_EDITOR: 'false' }], ['SCHEMA_EDITOR_BAAS_MODE', { SERVICE_SOURCE: 'tables' }],
    ['SCHEMA_EDITOR_PRODUCTION', { ...PRODUCTION, SERVICE_SCHEMA_EDITOR: 'true' }],
  ];
  for (const [code, env] of closed) {
    const { send, ask } = await serveFolder(t, folder, env);
    t.match(await ask('/admin/schema-editor/status'), { status: 200, body: { enabled: false, code, reason: String } });
    t.match(await send(path, change), { status: 501, body: { error: { code } } });
  }
  const bare = projectFolder(t, 'none');
  rmSync(bare.collections, { recursive: true });
  const { send } = await serveFolder(t, bare, { SERVICE_SOURCE: 'files' });
  t.match(await send(path, change), { status: 501, body: { error: { code: 'SCHEMA_EDITOR_NO_COLLECTIONS_DIR' } } });
});

test('the earlier paths answer, and say that they will go', async t => {
  const folder = projectFolder(t, 'none');
  const { send, ask } = await serveFolder(t, folder);
  const status = await ask('/schema-editor/status');
  t.same([status.status, status.body, status.headers.get('deprecation')], [200, { enabled: true }, 'true']);
  const saved = await send('/schema-editor/property/save', { collectionId: 'posts', propertyKey: 'label', propertyConfig: label });
  t.same([saved.status, saved.body, saved.headers.get('deprecation')], [200, { success: true }, 'true']);
  t.equal((await ask('/admin/schema-editor/status')).headers.get('deprecation'), null);
  t.match(await ask('/schema-editor/status', null), { status: 401 });
});
