import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { test } from 'tap';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compiledValidators, createValidators } from '../../gateway/collections/compiled-validators.ts';
import { loadCollections } from '../../gateway/collections/load.ts';
import { publishedSchema } from '../../gateway/collections/schema/collection.ts';
import { validatorOf, type Form } from '../../gateway/collections/validators.ts';
import { ROOT } from '../harness/server.ts';
import { openLoader, relations, users } from './loaded.ts';

const { load, properties } = await openLoader(t);

test('a collection without a word has its names from its slug, and a key of its own', async t => {
  const { rows } = await load(t, { orderItems: {} });
  t.match(rows.collections, [{
    slug: 'orderItems', source: 'file', name: 'Order items', singular_name: 'Order item', description: null, schema_name: 'public',
    table_name: 'order_items', key: ['id'], exposed: true, read_only: false, strict_writes: true, callbacks: {},
    definition: { disableDefaultPolicies: false, securityRules: [], indexes: [] },
  }]);
  t.match(rows.properties, [{
    name: 'id', column_name: 'id', sql_type: 'text', not_null: true, required: false,
    attributes: { column: { default: 'gen_random_uuid()::text' } },
  }]);
});

test('declarations are accepted', async t => {
  const { rows } = await load(t, { posts: {
    name: 'Beiträge', singularName: 'Beitrag', description: 'Was geschrieben wurde.', table: 'Weird "table"', schema: 'blog',
    exposed: false, readOnly: true, strictWrites: false, disableDefaultPolicies: true,
    callbacks: { beforeSave: 'app.posts_before_save', afterRead: '"My app"."f"' }, admin: { icon: 'x' }, metadata: { a: 1 },
    properties: { key: { type: 'string', isId: 'manual', columnName: 'select', admin: { multiline: true } } },
  } });
  t.match(rows.collections, [{
    name: 'Beiträge', singular_name: 'Beitrag', description: 'Was geschrieben wurde.', table_name: 'Weird "table"', schema_name: 'blog',
    key: ['key'], exposed: false, read_only: true, strict_writes: false,
    callbacks: { beforeSave: 'app.posts_before_save', afterRead: '"My app"."f"' },
    definition: { disableDefaultPolicies: true, metadata: { a: 1 } },
  }]);
  t.notOk(JSON.stringify(rows).includes('admin'), 'panels are not in the catalog');
});

test('afterRead is a function, or a function with its masked fields, where a belongsTo goes by either of its names', async t => {
  const { rows } = await load(t, { users, posts: {
    properties: {
      title: { type: 'string' }, body: { type: 'string' }, author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
      editor: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
    },
    callbacks: { beforeSave: 'f', afterRead: { function: 'app.masked', masks: ['body', 'author', 'editorId', 'body'] } },
  } });
  t.same(rows.collections.map(({ callbacks }) => callbacks), [{ beforeSave: 'f', afterRead: 'app.masked' }, {}]);
  t.same(rows.properties.filter(({ attributes }) => attributes.masked).map(({ collection, name }) => `${collection}.${name}`).sort(),
    ['posts.authorId', 'posts.body', 'posts.editorId']);
  const bare = await load(t, { posts: { callbacks: { afterRead: { function: 'f' } } } });
  t.same([bare.rows.collections[0]?.callbacks, bare.rows.properties.some(({ attributes }) => 'masked' in attributes)],
    [{ afterRead: 'f' }, false]);
});

test('a tenant: its field is never empty and never asked for, whether a column of its own or a foreign key', async t => {
  const tenant = (field: string, more: object = {}) => ({ tenant: { field, from: { claim: 'org' }, ...more } });
  const { rows } = await load(t, { users,
    plain: { properties: { org: { type: 'number', columnType: 'integer', validation: { required: true } } }, ...tenant('org') },
    linked: {
      properties: { org: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } } }, ...tenant('org', { bypassRoles: [] }),
    },
    wired: { properties: { org: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } } }, ...tenant('orgId') },
    referring: { properties: { user: { type: 'reference', path: 'users' } }, ...tenant('user') },
    member: {
      properties: { org: { type: 'string' } },
      tenant: { field: 'org', from: { membership: { collection: 'linked', userField: 'id', tenantField: 'orgId' } } },
    },
  });
  t.same(rows.properties.filter(({ attributes }) => attributes.tenant).map(({ collection, name, not_null: notNull, required }) =>
    [collection, name, notNull, required]),
    [
      ['linked', 'orgId', true, false], ['member', 'org', true, false], ['plain', 'org', true, false], ['referring', 'userId', true, false],
      ['wired', 'orgId', true, false],
    ]);
  t.same(rows.collections.map(({ definition }) => (definition['tenant'] as { bypassRoles?: string[] } | undefined)?.bypassRoles),
    [[], ['admin'], ['admin'], ['admin'], undefined, ['admin']]);
  t.same(Object.values(relations({ rows })).map(({ on_delete: onDelete }) => onDelete), ['restrict', 'restrict', 'restrict'],
    'as where it is required');
});

test('a property has the column of its type', async t => {
  const types: [object, string | RegExp, string][] = [
    [{ type: 'string' }, 'text', 'text'],
    [{ type: 'text' }, 'text', 'text'],
    [{ type: 'string', validation: { max: 20 } }, 'text', 'text'],
    [{ type: 'string', columnType: 'varchar', validation: { max: 20 } }, 'character varying', 'character varying(20)'],
    [{ type: 'string', columnType: 'varchar' }, 'character varying', 'character varying'],
    [{ type: 'string', columnType: 'char' }, 'bpchar', 'character(1)'],
    [{ type: 'string', columnType: 'uuid' }, 'uuid', 'uuid'],
    [{ type: 'number' }, 'numeric', 'numeric'],
    [{ type: 'number', validation: { integer: true } }, 'integer', 'integer'],
    [{ type: 'number', columnType: 'numeric', precision: 10, scale: 2 }, 'numeric', 'numeric(10,2)'],
    [{ type: 'number', precision: 5 }, 'numeric', 'numeric(5,0)'],
    [{ type: 'number', columnType: 'double precision' }, 'double precision', 'double precision'],
    [{ type: 'number', enum: [1, 2] }, 'numeric', 'numeric'],
    [{ type: 'boolean' }, 'boolean', 'boolean'],
    [{ type: 'date' }, 'timestamp with time zone', 'timestamp(3) with time zone'],
    [{ type: 'timestamp' }, 'timestamp with time zone', 'timestamp(3) with time zone'],
    [{ type: 'date', timezone: false }, 'timestamp without time zone', 'timestamp(3) without time zone'],
    [{ type: 'date', mode: 'date' }, 'date', 'date'],
    [{ type: 'date', columnType: 'time' }, 'time without time zone', 'time without time zone'],
    [{ type: 'array', of: { type: 'string' } }, 'text[]', 'text[]'],
    [{ type: 'array', of: { type: 'number' } }, 'numeric[]', 'numeric[]'],
    [{ type: 'array', of: { type: 'number', validation: { integer: true } } }, 'integer[]', 'integer[]'],
    [{ type: 'array', of: { type: 'boolean' } }, 'boolean[]', 'boolean[]'],
    [{ type: 'array', of: { type: 'map' } }, 'jsonb', 'jsonb'],
    [{ type: 'array', of: { type: 'string' }, columnType: 'json' }, 'json', 'json'],
    [{ type: 'array' }, 'jsonb', 'jsonb'],
    [{ type: 'map' }, 'jsonb', 'jsonb'],
    [{ type: 'map', columnType: 'json' }, 'json', 'json'],
    [{ type: 'geopoint' }, 'jsonb', 'jsonb'],
    [{ type: 'vector', dimensions: 3 }, /vector$/, 'vector(3)'],
    [{ type: 'binary' }, 'bytea', 'bytea'],
  ];
  const rows = await properties(t, Object.fromEntries(types.map(([definition], i) => [`p${i}`, definition])));
  for (const [i, [definition, sqlType, whole]] of types.entries()) {
    t.match(rows[`p${i}`], { sql_type: sqlType, attributes: { column: { type: whole } } }, JSON.stringify(definition));
  }
});

test('a string with enum has a type of its own, in each of the three spellings', async t => {
  const rows = await properties(t, {
    status: { type: 'enum', enum: [{ id: 'draft', label: 'Draft' }, 'live'], defaultValue: 'draft' },
    orderKind: { type: 'string', enum: { a: 'A', b: { label: 'B' } } },
  });
  t.match(rows['status'], {
    sql_type: 'public.things_status',
    attributes: {
      enum: ['draft', 'live'], defaultValue: 'draft',
      column: { default: '\'draft\'', enumType: { schema: 'public', name: 'things_status', labels: ['draft', 'live'] } },
    },
  });
  t.match(rows['orderKind'], { sql_type: 'public.things_order_kind', attributes: { enum: ['a', 'b'] } });
});

test('keys of every strategy', async t => {
  const key = async (property: object) => {
    const { rows } = await load(t, { things: { properties: { key: property } } });
    const [row] = rows.properties;
    return {
      key: rows.collections[0]?.key, isId: row?.attributes.isId, type: row?.attributes.column.type, default: row?.attributes.column.default,
      identity: row?.attributes.column.identity, notNull: row?.not_null, required: row?.required,
    };
  };
  const common = { key: ['key'], notNull: true, required: false };
  t.same(await key({ type: 'string', isId: 'uuid' }),
    { ...common, isId: 'uuid', type: 'uuid', default: 'gen_random_uuid()', identity: false });
  t.same(await key({ type: 'number', isId: 'increment' }),
    { ...common, isId: 'increment', type: 'integer', default: null, identity: true });
  t.same(await key({ type: 'number', isId: 'increment', columnType: 'bigint' }),
    { ...common, isId: 'increment', type: 'bigint', default: null, identity: true });
  t.same(await key({ type: 'number', isId: true, columnType: 'bigserial' }),
    { ...common, isId: true, type: 'bigint', default: null, identity: true });
  t.same(await key({ type: 'string', isId: 'manual' }), { ...common, isId: true, type: 'text', default: null, identity: false });
  t.same(await key({ type: 'string', isId: 'sql`md5(random()::text)`' }),
    { ...common, isId: 'sql`md5(random()::text)`', type: 'text', default: 'md5(random()::text)', identity: false });
  t.match((await load(t, { things: { properties: { name: { type: 'string' }, id: { type: 'number' } } } })).rows.properties,
    [{ name: 'name' }, { name: 'id', sql_type: 'integer', not_null: true, attributes: { isId: true } }]);
});

test('defaults are SQL of any content', async t => {
  const rows = await properties(t, {
    quote: { type: 'string', defaultValue: 'it\'s' }, slash: { type: 'string', defaultValue: 'a\\b' },
    empty: { type: 'string', defaultValue: '' }, zero: { type: 'number', defaultValue: 0 }, off: { type: 'boolean', defaultValue: false },
    day: { type: 'date', mode: 'date', defaultValue: '2026-01-01' },
    list: { type: 'array', of: { type: 'string' }, defaultValue: ['a"b', 'c'] }, map: { type: 'map', defaultValue: { a: 'it\'s' } },
    made: { type: 'date', autoValue: 'on_create' }, moved: { type: 'date', autoValue: 'on_update', validation: { required: true } },
    by: { type: 'string', autoValue: 'user_on_create' },
  });
  const defaults = Object.fromEntries(Object.entries(rows).map(([name, { attributes }]) => [name, attributes.column.default]));
  t.same(defaults, {
    id: 'gen_random_uuid()::text', quote: '\'it\'\'s\'', slash: String.raw`'a\b'`, empty: '\'\'', zero: '0', off: 'false',
    day: '\'2026-01-01\'', list: String.raw`'{"a\"b",c}'::text[]`, map: '\'{"a": "it\'\'s"}\'::jsonb', made: 'now()', moved: 'now()',
    by: null,
  });
  t.match(rows['moved'], { not_null: true, required: false, attributes: { autoValue: 'on_update', column: { stamp: 'on_update' } } });
});

test('rules and labels stand in the attributes, at every depth', async t => {
  const rows = await properties(t, {
    mail: {
      type: 'string', name: 'E-mail', description: 'Where to write.', email: true,
      validation: { required: true, requiredMessage: 'Please.', max: 80, unique: true, matches: '/^a/i' },
    },
    address: { type: 'map', properties: { zip: { type: 'string', validation: { min: 4 } }, kind: { type: 'enum', enum: ['home'] } } },
    scores: { type: 'array', of: { type: 'number', validation: { max: 10 } }, validation: { uniqueInArray: true } },
  });
  t.match(rows['mail'], {
    required: true, not_null: true,
    attributes: {
      label: 'E-mail', description: 'Where to write.', email: true, format: 'email', maxLength: 80, requiredMessage: 'Please.',
      validation: { matches: '/^a/i' }, column: { unique: true },
    },
  });
  t.match(rows['address']?.attributes.properties,
    { zip: { type: 'string', validation: { min: 4 } }, kind: { type: 'string', enum: ['home'] } });
  t.match(rows['scores']?.attributes, { of: { type: 'number', validation: { max: 10 } }, validation: { uniqueInArray: true } });
});

test('roles that may read and write', async t => {
  const rows = await properties(t, {
    open: { type: 'string' }, salary: { type: 'number', access: { read: ['hr'], write: [] }, validation: { required: true } },
    hash: { type: 'string', excludeFromApi: true },
  });
  t.match(rows['open'], { excluded: false, read_roles: null, write_roles: null });
  t.match(rows['salary'], { excluded: false, read_roles: ['hr'], write_roles: [], not_null: true, required: false });
  t.match(rows['hash'], { excluded: true, read_roles: [], write_roles: [] });
});

test('a vector has an index unless it is declined or too wide', async t => {
  const rows = await properties(t, {
    a: { type: 'vector', dimensions: 3 }, b: { type: 'vector', dimensions: 3, index: false }, c: { type: 'vector', dimensions: 2001 },
    d: { type: 'vector', dimensions: 3, index: { method: 'ivfflat', distance: ['l2', 'cosine'], lists: 10 } },
  });
  t.match(rows['a'], { attributes: { dimensions: 3, column: { index: { method: 'hnsw', distance: ['cosine'] } } } });
  t.equal(rows['b']?.attributes.column.index, null);
  t.equal(rows['c']?.attributes.column.index, null);
  t.same(rows['d']?.attributes.column.index, { method: 'ivfflat', distance: ['l2', 'cosine'], lists: 10 });
});

test('rules have their defaults, those of the directory where there are none', async t => {
  const { rows } = await load(t, {
    users,
    posts: {
      properties: { author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } } },
      securityRules: [{ ownerField: 'author', operations: ['update', 'delete'] }, { name: 'all', using: 'true', mode: 'restrictive' }],
    },
    notes: { securityRules: [] },
  }, { defaultSecurityRules: [{ operation: 'select', roles: ['staff'] }] });
  const rules = Object.fromEntries(rows.collections.map(({ slug, definition }) => [slug, definition['securityRules']]));
  const byDefault = [{ roles: ['staff'], operations: ['select'], mode: 'permissive', pgRoles: ['public'] }];
  t.same(rules, {
    users: byDefault, notes: byDefault,
    posts: [
      { ownerField: 'author', operations: ['update', 'delete'], mode: 'permissive', pgRoles: ['public'] },
      { name: 'all', using: 'true', operations: ['all'], mode: 'restrictive', pgRoles: ['public'] },
    ],
  });
});

test('names are quoted where they must be', async t => {
  const rows = await properties(t, {
    'we"ird na\'me': { type: 'string' }, select: { type: 'string' }, limit: { type: 'string' }, größe: { type: 'number' },
    photoURL: { type: 'string' }, x__proto__: { type: 'string' },
  });
  t.same(Object.values(rows).map(({ column_name }) => column_name),
    ['id', 'we_ird_na_me', 'select', 'limit', 'größe', 'photo_url', 'x__proto__']);
  t.match((await load(t, {
    'Straße-x': { slug: 'things', table: 'My table', schema: 'a"b', properties: { kind: { type: 'enum', enum: ['x'] } } },
  })).rows.properties[1],
    { sql_type: '"a""b"."My table_kind"' });
});

test('the directory: other files, a byte order mark, no files', t => {
  t.equal(loadCollections(`${t.testdir({})}/nowhere`, 'warn'), undefined);
  t.equal(loadCollections(t.testdir({ '.hidden.json': '{', 'readme.md': '#', '_defaults.json': '{}', sub: { 'x.json': '{' } }), 'warn'),
    undefined);
  t.match(loadCollections(t.testdir({ 'a.json': '\uFEFF{"slug":"a"}', 'b.json.bak': '{' }), 'warn'),
    { problems: [], project: { collections: [{ file: 'a.json', definition: { slug: 'a' } }] } });
  t.end();
});

test('editors read the schema that files are checked against', t => {
  t.equal(readFileSync(join(ROOT, 'schemas/collection.schema.json'), 'utf8'), publishedSchema(),
    'node gateway/collections/publish-schema.ts writes it');
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(publishedSchema()) as object);
  t.ok(validate({
    slug: 'posts',
    properties: { id: { type: 'string', isId: 'uuid' }, author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } } },
  }), 'without the discriminator too');
  t.notOk(validate({ slug: 'posts', properties: { id: { type: 'json' } } }));
  t.end();
});

test('the source compiles the schema once', t => {
  t.equal(validatorOf('collection')({}), false);
  const folder = join(ROOT, 'node_modules/.cache/validators');
  t.same(readdirSync(folder).filter(name => name.endsWith('.mjs')).map(name => readFileSync(join(folder, name), 'utf8')),
    [compiledValidators()]);
  t.end();
});

test('the package judges files as the source does, with nothing left to compile', async t => {
  const module = join(t.testdir({ 'validators.mjs': compiledValidators() }), 'validators.mjs');
  const { validatorOf: compiled } = await import(module) as { validatorOf: typeof validatorOf };
  const validators = createValidators({ optimize: false });
  const properties = {
    id: { type: 'string', isId: 'uuid' }, name: { type: 'string', validation: { max: 'x', lenght: 3 } },
    tags: { type: 'array', of: { type: 'jsn' } },
  };
  const cases: [Form, object][] = [
    ['collection', { slug: 'posts', properties: { id: { type: 'string', isId: 'uuid' } } }],
    ['collection', { slug: 'no slug', properties, securityRules: [{ operation: 'see' }], search: { fields: [] } }],
    ['collection', { properties: { author: { type: 'relation', relation: { kind: 'belongsto', target: '' } } } }],
    ['defaults', { defaultSecurityRules: [{ operation: 'select', access: 'everyone' }], slug: 'posts' }],
  ];
  for (const [form, value] of cases) {
    const [ours, theirs] = [validators.getSchema(form) as ReturnType<typeof validatorOf>, compiled(form)];
    t.equal(theirs(value), ours(value));
    t.same(theirs.errors, ours.errors);
  }
});
