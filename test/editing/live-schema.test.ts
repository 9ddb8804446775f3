// Changes of the schema through the service: planned, committed, applied.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { addHook, id, POSTS, posts, PRODUCTION, projectFolder, serveFolder, withProperty } from './project.ts';

const subtitle = { type: 'string', validation: { max: 80 } };

test('a change is planned, and nothing is changed', async t => {
  const { send, sql, folder } = await serveFolder(t, projectFolder(t));
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  t.match(await send('/admin/schema/plan', change), { status: 200, body: {
    applicable: true, verdict: 'safe', message: 'Add subtitle to posts',
    changes: [{ kind: 'add-property', verdict: 'safe', collection: 'posts', property: 'subtitle', detail: /subtitle of public\.posts/ }],
    statements: ['alter table public.posts add column subtitle text'], files: ['collections/posts.json'], withheldConstraints: [],
    followUp: [],
  } });
  t.same(await sql`select column_name from information_schema.columns where table_name = 'posts' and column_name = 'subtitle'`, []);
  t.equal(folder.read('posts.json'), POSTS);
  t.same(await sql`select name from service.properties where name = 'subtitle'`, []);
});

test('changes of the collection are reported by kind and verdict, the worst decides', async t => {
  const { send, sql } = await serveFolder(t, projectFolder(t));
  const plan = async (collection: object) => {
    const { body } = await send('/admin/schema/plan', { collectionId: 'posts', collection });
    return [
      body.verdict, body.applicable,
      body.changes.map((change: { kind: string; verdict: string; property?: string }) => [change.kind, change.verdict, change.property]),
    ];
  };
  const { title, state } = posts.properties;
  const required = { type: 'string', validation: { required: true } };
  t.same(await plan(withProperty('lead', required)), ['safe', true, [['add-property', 'safe', 'lead']]], 'the table is empty');
  await sql`insert into posts (title) values ('one')`;
  t.same(await plan(withProperty('lead', required)), ['diverges', false, [['add-property', 'diverges', 'lead']]]);
  t.same(await plan(withProperty('lead', { ...required, defaultValue: 'none' })), ['safe', true, [['add-property', 'safe', 'lead']]]);
  t.same(await plan(withProperty('title', { type: 'string' })), ['safe', true, [['change-required', 'safe', 'title']]]);
  t.same(await plan(withProperty('state', { ...state, validation: { required: true } })),
    ['diverges', false, [['change-required', 'diverges', 'state']]]);
  t.same(await plan(withProperty('state', { type: 'string', enum: ['draft', 'live', 'gone'] })),
    ['safe', true, [['add-enum-value', 'safe', 'state']]]);
  t.same(await plan(withProperty('state', { type: 'string', enum: ['live'] })),
    ['needs-migration', false, [['remove-enum-value', 'needs-migration', 'state']]]);
  t.same(await plan(withProperty('title', { ...title, columnName: 'headline' })),
    ['needs-migration', false, [['rename-column', 'needs-migration', 'title']]]);
  t.same(await plan(withProperty('title', { ...required, type: 'number' })),
    ['needs-migration', false, [['change-property-type', 'needs-migration', 'title']]]);
  t.same(await plan({ ...posts, properties: { id, state } }),
    ['needs-migration', false, [['remove-property', 'needs-migration', 'title']]]);
  t.same(await plan({ ...posts, table: 'notes' }), ['needs-migration', false, [['change-table', 'needs-migration', undefined]]]);
  const keyed = await plan({ ...posts, properties: { uid: { type: 'string', isId: 'uuid' }, title, state } });
  t.same(keyed[2],
    [['remove-property', 'needs-migration', 'id'], ['add-property', 'safe', 'uid'], ['change-primary-key', 'needs-migration', undefined]]);
  t.same(await plan({ ...posts, name: 'Articles' }), ['safe', true, []], 'a label');
  t.same(await plan({ ...posts, securityRules: [{ ownerField: 'title' }] }), ['safe', true, []], 'a rule');
});

test('it is committed, applied and served', async t => {
  const { send, request, folder, database } = await serveFolder(t, projectFolder(t));
  const before = database.catalog.current.document.schemaVersion;
  const { status, body } = await send('/admin/schema/apply', { collectionId: 'posts', collection: withProperty('subtitle', subtitle) });
  t.match([status, body], [200, {
    committed: { sha: folder.git('rev-parse', 'HEAD'), branch: 'main', files: ['collections/posts.json'] },
    applied: true, statements: ['alter table public.posts add column subtitle text'], summary: 'Add subtitle to posts',
    classified: { verdict: 'safe', applicable: true, changes: [{ kind: 'add-property' }] }, withheldConstraints: [], followUp: [],
  }]);
  t.not(body.schemaVersion, before);
  t.equal(database.catalog.current.document.schemaVersion, body.schemaVersion, 'this process serves it by then');
  t.notOk('applyError' in body);
  t.match(await request('/data/posts', { method: 'POST', body: JSON.stringify({ title: 'a', subtitle: 'b' }) }),
    { status: 201, body: { subtitle: 'b' } });
  t.equal(folder.git('log', '-1', '--format=%an: %s'), 'root: Add subtitle to posts');
  t.equal(folder.git('status', '--porcelain'), '');
  const wanted = `,\n        "subtitle": {\n            "type": "string",\n            "validation": {\n                "max": 80\n       `
    + `     }\n        }\n    },`;
  t.equal(folder.read('posts.json'), POSTS.replace('\n    },\n    "securityRules"', `${wanted}\n    "securityRules"`),
    'what stood there stands as it stood');
});

test('a new collection has a file of its own', async t => {
  const { send, request, folder } = await serveFolder(t, projectFolder(t));
  const tags = { slug: 'ignored', properties: { id, name: { type: 'string' } }, securityRules: [{ access: 'public' }] };
  t.match(await send('/admin/schema/plan', { collectionId: 'tags', collection: tags }), { status: 200, body: {
    message: 'Add tags', changes: [{ kind: 'add-collection', collection: 'tags' }], files: ['collections/tags.json'],
  } });
  t.match(await send('/admin/schema/apply', { collectionId: 'tags', collection: tags }),
    { status: 200, body: { applied: true, summary: 'Add tags' } });
  t.match(await request('/data/tags', { method: 'POST', body: '{"name":"x"}' }), { status: 201 });
  t.same(JSON.parse(folder.read('tags.json')), { ...tags, slug: 'tags' });
  t.equal(folder.git('status', '--porcelain'), '');
});

test('an unchanged file is no commit', async t => {
  const { send, folder } = await serveFolder(t, projectFolder(t));
  const sha = folder.git('rev-parse', 'HEAD');
  t.match(await send('/admin/schema/apply', { collectionId: 'posts', collection: posts }),
    { status: 200, body: { committed: { sha }, applied: true, statements: [] } });
  t.equal(folder.git('rev-parse', 'HEAD'), sha);
});

test('a proposal that is malformed', async t => {
  const { send } = await serveFolder(t, projectFolder(t));
  const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) as object;
  const malformed: [object, string][] = [
    [{}, 'collectionId'], [{ collectionId: 'a b', collection: {} }, 'collectionId'],
    [{ collectionId: '../posts', collection: {} }, 'collectionId'], [{ collectionId: 'posts' }, 'collection'],
    [{ collectionId: 'posts', collection: [] }, 'collection'],
    [{ collectionId: 'posts', collection: { table: 'a-b' } }, 'collection.table'],
    [{ collectionId: 'posts', collection: { schema: 7 } }, 'collection.schema'],
    [{ collectionId: 'posts', collection: { properties: { a: { columnName: 'a"b' } } } }, 'collection.properties.a.columnName'],
    [{ collectionId: 'posts', collection: { properties: { a: { relation: { through: { properties: { b: { columnName: '' } } } } } } } },
      'collection.properties.a.relation.through.properties.b.columnName'],
  ];
  for (const route of ['plan', 'apply']) {
    for (const [body, path] of malformed) {
      t.match(await send(`/admin/schema/${route}`, body), { status: 400, body: { error: { code: 'INVALID_CHANGE', details: { path } } } });
    }
    t.match(await send(`/admin/schema/${route}`, { collectionId: 'posts', collection: deep }),
      { status: 400, body: { error: { code: 'INVALID_CHANGE' } } });
    t.match(await send(`/admin/schema/${route}`, []), { status: 400, body: { error: { code: 'BAD_REQUEST' } } });
  }
});

test('a bad definition is refused in the words that boot uses', async t => {
  const { send, folder, sql } = await serveFolder(t, projectFolder(t));
  const wrong = {
    ...posts, properties: { ...posts.properties, size: { type: 'sting' }, state: { type: 'string', enum: [] } }, softDelete: true,
  };
  for (const route of ['plan', 'apply']) {
    const { status, body: { error } } = await send(`/admin/schema/${route}`, { collectionId: 'posts', collection: wrong });
    t.match([status, error.code, error.details.problems], [400, 'SCHEMA_CHANGE_FAILED', [
      /^posts.properties.size: unknown type "sting"; known are /,
      /^posts.properties.state.enum: /, /^posts.softDelete: /]]);
    t.equal(error.message, error.details.problems.join('\n'));
  }
  t.equal(folder.read('posts.json'), POSTS);
  t.same(await sql`select name from service.properties where name = 'size'`, []);
});

test('changes that need a migration are planned and not applied', async t => {
  const { send, folder } = await serveFolder(t, projectFolder(t));
  const change = { collectionId: 'posts', collection: withProperty('title', { type: 'number' }) };
  t.match(await send('/admin/schema/plan', change), { status: 200, body: { applicable: false, verdict: 'needs-migration' } });
  t.match(await send('/admin/schema/apply', change), { status: 400, body: {
    error: { code: 'SCHEMA_CHANGE_UNAPPLICABLE', details: { changes: [{ kind: 'change-property-type' }, { kind: 'change-required' }] } },
  } });
  t.equal(folder.read('posts.json'), POSTS);
  t.equal(folder.git('rev-list', '--count', 'HEAD'), '1');
});

test('concurrent edits of the files are left alone; other changes do not matter', async t => {
  const { send, folder } = await serveFolder(t, projectFolder(t));
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  folder.write('notes.txt', 'mine');
  folder.write('staged.txt', 'mine');
  folder.git('add', 'collections/staged.txt');
  folder.write('posts.json', `${POSTS}\n`);
  t.match(await send('/admin/schema/apply', change),
    { status: 409, body: { error: { code: 'SCHEMA_EDIT_DIRTY_TREE', details: { files: ['collections/posts.json'] } } } });
  t.equal(folder.read('posts.json'), `${POSTS}\n`);
  folder.git('add', 'collections/posts.json');
  t.match(await send('/admin/schema/apply', change), { status: 409 }, 'staged is not committed');
  folder.git('checkout', '--quiet', 'HEAD', '--', 'collections/posts.json');
  t.match(await send('/admin/schema/apply', change), { status: 200, body: { applied: true } });
  t.equal(folder.git('status', '--porcelain'), 'A  collections/staged.txt\n?? collections/notes.txt');
});

test('a repository without a commit', async t => {
  const { send, ask, folder } = await serveFolder(t, projectFolder(t, 'empty'));
  t.match(await ask('/admin/schema/status'), { body: { enabled: true, canApply: true, branch: 'main' } });
  t.match(await send('/admin/schema/apply', { collectionId: 'posts', collection: posts }),
    { status: 409, body: { error: { code: 'SCHEMA_EDIT_DIRTY_TREE' } } });
  const tags = { properties: { id } };
  t.match(await send('/admin/schema/apply', { collectionId: 'tags', collection: tags }),
    { status: 200, body: { applied: true, committed: { branch: 'main' } } });
  t.equal(folder.git('log', '--format=%s'), 'Add tags');
});

test('no repository: planned, not applied', async t => {
  const folder = projectFolder(t, 'none');
  const { send, ask } = await serveFolder(t, folder);
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  const status = await ask('/admin/schema/status');
  t.match(status,
    { status: 200, body: { enabled: false, canPlan: true, code: 'SCHEMA_EDITING_NO_REPOSITORY', reason: /in no git repository/ } });
  t.match(await send('/admin/schema/plan', change), { status: 200, body: { applicable: true, files: ['posts.json'] } });
  t.match(await send('/admin/schema/apply', change), { status: 503, body: { error: { code: 'SCHEMA_EDITING_NO_REPOSITORY' } } });
  t.equal(folder.read('posts.json'), POSTS);
});

test('the repository can be named, and must hold the files', async t => {
  const [folder, other] = [projectFolder(t), projectFolder(t)];
  const named = await serveFolder(t, folder, { SERVICE_LIVE_SCHEMA_REPOSITORY: folder.root });
  t.match(await named.ask('/admin/schema/status'), { body: { enabled: true, repository: folder.root, branch: 'main' } });
  const wrong = await serveFolder(t, folder, { SERVICE_LIVE_SCHEMA_REPOSITORY: other.root });
  t.match(await wrong.ask('/admin/schema/status'),
    { body: { enabled: false, code: 'SCHEMA_EDITING_NO_REPOSITORY', reason: /are not in/ } });
});

test('no git', async t => {
  const folder = projectFolder(t);
  const { send, ask } = await serveFolder(t, folder);
  const path = process.env['PATH'];
  const bin = join(folder.root, 'bin');
  mkdirSync(bin);
  process.env['PATH'] = bin;
  t.teardown(() => { process.env['PATH'] = path; });
  t.match(await ask('/admin/schema/status'),
    { body: { enabled: false, canPlan: true, code: 'SCHEMA_EDITOR_MISSING_DEPENDENCY', reason: 'git is not installed.' } });
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  t.match(await send('/admin/schema/apply', change), { status: 501, body: { error: { code: 'SCHEMA_EDITOR_MISSING_DEPENDENCY' } } });
  t.match(await send('/admin/schema/plan', change), { status: 200 });
});

test('a hook that refuses: nothing is written', async t => {
  const folder = projectFolder(t);
  const { send, sql } = await serveFolder(t, folder);
  addHook(folder, 'pre-commit', 'echo "Ask the DBA; $JWT_SECRET$DATABASE_URL$SERVICE_SERVICE_KEY" >&2; exit 1');
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  t.match(await send('/admin/schema/apply', change),
    { status: 400, body: { error: { code: 'SCHEMA_CHANGE_FAILED', message: /Ask the DBA;$/ } } });
  t.equal(folder.read('posts.json'), POSTS);
  t.match(await send('/admin/schema/apply', { collectionId: 'tags', collection: { properties: { id } } }), { status: 400 });
  t.throws(() => folder.read('tags.json'));
  t.equal(folder.git('status', '--porcelain'), '');
  t.same(await sql`select name from service.properties where name = 'subtitle'`, []);
});

test('a file that another collection has, or that cannot be read, is not written over', async t => {
  const folder = projectFolder(t);
  folder.write('authors.json', { ...posts, slug: 'writers', table: 'writers' });
  const { send } = await serveFolder(t, folder);
  const authors = { collectionId: 'authors', collection: { properties: { id } } };
  t.match(await send('/admin/schema/plan', authors),
    { status: 400, body: { error: { code: 'SCHEMA_CHANGE_FAILED', message: /authors.json is there/ } } });
  folder.write('posts.json', '{');
  t.match(await send('/admin/schema/plan', { collectionId: 'tags', collection: { properties: { id } } }),
    { status: 400, body: { error: { code: 'SCHEMA_CHANGE_FAILED', message: /posts.json:1:2/ } } });
});

test('a linked file is written where it lies', async t => {
  const folder = projectFolder(t);
  mkdirSync(join(folder.root, 'shared'));
  folder.git('mv', 'collections/posts.json', 'shared/posts.json');
  symlinkSync('../shared/posts.json', join(folder.collections, 'posts.json'));
  folder.git('add', '--all');
  folder.git('commit', '--quiet', '-m', 'Link');
  const { send } = await serveFolder(t, folder);
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  t.match(await send('/admin/schema/apply', change), { status: 200, body: { committed: { files: ['shared/posts.json'] }, applied: true } });
  t.equal(folder.git('status', '--porcelain'), '');
});

test('DDL that fails after the commit is reported; the served state stays, and the next start finishes it', async t => {
  const folder = projectFolder(t);
  const { send, sql, request, url } = await serveFolder(t, folder);
  await sql.unsafe(`create sequence ddl_runs;
    create function no_ddl() returns event_trigger language plpgsql as $$ begin if nextval('ddl_runs') > 1 then raise exception 'not now';
    end if; end $$;
    create event trigger no_ddl on ddl_command_start when tag in ('ALTER TABLE') execute function no_ddl()`);
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  const { status, body } = await send('/admin/schema/apply', change);
  t.match([status, body], [200, { applied: false, applyError: /not now/, committed: { sha: folder.git('rev-parse', 'HEAD') } }]);
  t.match(await request('/data/posts', { method: 'POST', body: '{"title":"a"}' }), { status: 201 });
  t.equal(folder.git('status', '--porcelain'), '');
  await sql`drop event trigger no_ddl`;
  t.match(await runGateway(t, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections, SERVICE_PROVISION_ONLY: 'true' }),
    { code: 0 });
  t.match(await sql`select data_type from information_schema.columns where table_name = 'posts' and column_name = 'subtitle'`,
    [{ data_type: 'text' }]);
});

test('rights of callers', async t => {
  const folder = projectFolder(t);
  const { send, ask } = await serveFolder(t, folder, { AUTH_REQUIRE: 'false' });
  const change = { collectionId: 'posts', collection: withProperty('subtitle', subtitle) };
  const editor = await tokenFor('ada', ['editor']);
  for (const route of ['plan', 'apply']) {
    t.match(await send(`/admin/schema/${route}`, change, null), { status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    t.match(await send(`/admin/schema/${route}`, change, editor), { status: 403, body: { error: { code: 'FORBIDDEN' } } });
  }
  t.match(await ask('/admin/schema/status', null), { status: 401 });
  t.match(await ask('/admin/schema/status', SERVICE_KEY), {
    body: { enabled: true, canPlan: true, canApply: false, applyRefusedCode: 'SCHEMA_EDIT_REQUIRES_A_PERSON', applyRefusedBecause: String },
  });
  t.match(await send('/admin/schema/plan', change, SERVICE_KEY), { status: 200 });
  t.match(await send('/admin/schema/apply', change, SERVICE_KEY),
    { status: 403, body: { error: { code: 'SCHEMA_EDIT_REQUIRES_A_PERSON' } } });
  t.equal(folder.read('posts.json'), POSTS);
  const allowed = await serveFolder(t, folder, { SERVICE_LIVE_SCHEMA_ALLOW_MACHINE_APPLY: 'true' });
  t.match(await allowed.ask('/admin/schema/status', SERVICE_KEY), { body: { canApply: true } });
  t.match(await allowed.send('/admin/schema/apply', change, SERVICE_KEY), { status: 200, body: { applied: true } });
  t.equal(folder.git('log', '-1', '--format=%an'), 'service');
});

test('where it is not to be had', async t => {
  const folder = projectFolder(t);
  const change = { collectionId: 'posts', collection: posts };
  const off = await serveFolder(t, folder, { SERVICE_SCHEMA_EDITOR: 'false' });
  t.match(await off.ask('/admin/schema/status'), { status: 200, body: { enabled: false, canPlan: true, code: 'SCHEMA_EDITOR_DISABLED' } });
  t.match(await off.send('/admin/schema/apply', change), { status: 501, body: { error: { code: 'SCHEMA_EDITOR_DISABLED' } } });
  t.match(await off.send('/admin/schema/plan', change), { status: 200 });
  const tables = await serveFolder(t, folder, { SERVICE_SOURCE: 'tables' });
  t.match(await tables.ask('/admin/schema/status'),
    { status: 200, body: { enabled: false, canPlan: false, code: 'SCHEMA_EDITOR_BAAS_MODE' } });
  for (const route of ['plan', 'apply']) {
    t.match(await tables.send(`/admin/schema/${route}`, change), { status: 501, body: { error: { code: 'SCHEMA_EDITOR_BAAS_MODE' } } });
  }
  const bare = projectFolder(t, 'none');
  rmSync(bare.collections, { recursive: true });
  const none = await serveFolder(t, bare, { SERVICE_SOURCE: 'files' });
  t.match(await none.ask('/admin/schema/status'),
    { status: 200, body: { enabled: false, canPlan: false, code: 'SCHEMA_EDITING_NO_COLLECTIONS_DIR' } });
  for (const route of ['plan', 'apply']) t.match(await none.send(`/admin/schema/${route}`, change), {
    status: 501, body: { error: { code: 'SCHEMA_EDITING_NO_COLLECTIONS_DIR' } },
  });
  const closed = await serveFolder(t, folder, PRODUCTION);
  t.match(await closed.send('/admin/schema/apply', change), { status: 501, body: { error: { code: 'SCHEMA_EDITOR_PRODUCTION' } } });
  const opened = await serveFolder(t, folder, { ...PRODUCTION, SERVICE_SCHEMA_EDITOR: 'true' });
  t.match(await opened.send('/admin/schema/apply', change), { status: 200, body: { applied: true } });
  const accounts = await serveFolder(t, folder, { SERVICE_AUTH: 'off' });
  t.match(await accounts.send('/admin/schema/plan', change), { status: 501, body: { error: { code: 'ADMIN_SURFACE_UNAVAILABLE' } } });
});


