import t, { test, type Test } from 'tap';
import type { Strictness } from '../../gateway/collections/load.ts';
import { openLoader } from './loaded.ts';
import { some } from '../harness/effort.ts';

type Files = Record<string, object | string>;

const { judge } = await openLoader(t);

async function load(t: Test, files: Files, strictness: Strictness = 'warn') {
  const { problems, warnings } = await judge(t, files, strictness);
  // The directory's name is the test's.
  return { problems: problems.map(line => line.replace(/^[^ ]*\/(?=[\w.]+\.json:)/, '')), warnings };
}

const users = { slug: 'users', properties: { id: { type: 'string', isId: 'uuid' }, code: { type: 'string' } } };
const belongsTo = (more: object = {}) => ({ type: 'relation', relation: { kind: 'belongsTo', target: 'users', ...more } });
const hasMany = (more: object = {}) => ({ type: 'relation', relation: { kind: 'hasMany', target: 'users', ...more } });
const manyToMany = (more: object = {}) => ({ type: 'relation', relation: { kind: 'manyToMany', target: 'users', ...more } });
const long = 'x'.repeat(64);

/** One property `p` of `posts`, and what is said of it after `posts.properties.p`. */
const badProperties: [object, string][] = [
  [{}, ': lacks type'],
  [
    { type: 'json' },
    ': unknown type "json"; known are string, text, enum, number, boolean, date, timestamp, array, map, geopoint, vector, binary, '
      + 'relation, reference',
  ],
  [{ type: 'enum' }, ': lacks enum, the list of its values'],
  [{ type: 'string', enum: [] }, '.enum: has no values'],
  [{ type: 'string', enum: {} }, '.enum: has no values'],
  [{ type: 'string', enum: 'a' }, '.enum: must be a list of ids or {id, label} objects, or an object of id to label'],
  [{ type: 'string', enum: ['a', 'a'] }, '.enum: names a value twice'],
  [{ type: 'string', enum: [''] }, '.enum: has a value that is empty'],
  [{ type: 'string', enum: [long] }, `.enum: "${long}" is longer than the 63 bytes of a label`],
  [{ type: 'number', enum: ['a'] }, '.enum: "a" is not a number'],
  [{ type: 'string', enum: ['a'], columnType: 'varchar' }, '.columnType: a string with enum has a type of its own'],
  [{ type: 'string', enum: ['a'], defaultValue: 'b' }, '.defaultValue: is none of the values of enum'],
  [{ type: 'string', columnType: 'json' }, '.columnType: must be one of text, varchar, char, uuid'],
  [{ type: 'array', of: { type: 'string' }, columnType: 'integer[]' }, '.columnType: does not hold what of says; leave it out for text[]'],
  [{ type: 'number', scale: 2 }, '.scale: needs precision'],
  [{ type: 'number', columnType: 'integer', precision: 2 }, '.precision: belongs to numeric columns, this is integer'],
  [{ type: 'number', defaultValue: '1' }, '.defaultValue: is not a number'],
  [{ type: 'number', columnType: 'integer', defaultValue: 1.5 }, '.defaultValue: is not a number'],
  [{ type: 'date', defaultValue: 'soon' }, '.defaultValue: is not a date'],
  [{ type: 'date', autoValue: 'on_create', defaultValue: '2026-01-01' }, '.defaultValue: stands beside autoValue, which says the value'],
  [{ type: 'date', autoValue: 'sometimes' }, '.autoValue: must be one of on_create, on_update'],
  [{ type: 'vector' }, ': lacks dimensions'],
  [{ type: 'vector', dimensions: 3, index: { lists: 3 } }, '.index.lists: hnsw has no such setting'],
  [{ type: 'number', validation: { min: 3, max: 2 } }, '.validation.min: is above max (2)'],
  [{ type: 'date', validation: { min: 'soon' } }, '.validation.min: must be an ISO date'],
  [{ type: 'number', validation: { matches: 'x' } }, '.validation.matches: belongs to properties of type string, this is "number"'],
  [{ type: 'string', validation: { email: true } }, '.validation.email: has another name: email of the property'],
  [{ type: 'string', dimensions: 3 }, '.dimensions: belongs to properties of type vector, this is "string"'],
  [{ type: 'string', required: true }, '.required: has another name: validation.required'],
  [{ type: 'string', access: { read: 'hr' } }, '.access.read: must be a list of roles, such as ["editor"]'],
  [{ type: 'string', access: { read: ['a,b'] } }, '.access.read[0]: must be a role name without a comma'],
  [{ type: 'string', access: { raed: ['hr'] } }, '.access.raed: unknown key; the lists are read and write'],
  [{ type: 'string', access: { read: ['hr'] }, excludeFromApi: true }, '.access: stands beside excludeFromApi; one of them'],
  [{ type: 'string', isId: 'cuid' }, '.isId: "cuid" is not made by PostgreSQL; "uuid", "increment" and "manual" are'],
  [{ type: 'number', isId: 'uuid' }, '.isId: "uuid" is for strings'],
  [{ type: 'string', isId: 'increment' }, '.isId: "increment" is for numbers'],
  [
    { type: 'boolean', isId: true },
    '.isId: belongs to properties of type string, text, enum, number, relation, reference, this is "boolean"',
  ],
  [{ type: 'string', isId: 'uuid', defaultValue: 'x' }, '.defaultValue: stands beside isId, which says the value'],
  [{ type: 'string', isId: true, excludeFromApi: true }, '.excludeFromApi: the key stands in every address, so everyone may read it'],
  [{ type: 'string', columnName: long }, `.columnName: the column ${long} is longer than the 63 bytes of a name in PostgreSQL`],
  [{ type: 'string', columnName: 'ctid' }, '.columnName: ctid is a system column of every table'],
  [
    { type: 'string', callbacks: { beforeSave: 'f' } },
    '.callbacks: a row has callbacks, a property has none; declare them of the collection',
  ],
  [{ type: 'array', oneOf: {} }, '.oneOf: lacks properties'],
  [{ type: 'array', oneOf: { properties: {} } }, '.oneOf.properties: must be an object with a type at least'],
  [{ type: 'array', oneOf: { properties: { a: { type: 'string' } } }, of: { type: 'string' } }, '.oneOf: stands beside of; one of them'],
  [
    { type: 'array', oneOf: { properties: { a: { type: 'string' } } }, columnType: 'text[]' },
    '.oneOf: blocks are objects, which a column of type text[] does not hold',
  ],
  [{ type: 'array', oneOf: { properties: { a: { type: 'string' } }, typeField: 'value' } }, '.oneOf.valueField: is the typeField as well'],
  [{ type: 'array', oneOf: { properties: { a: { type: 'string', enum: [] } } } }, '.oneOf.properties.a.enum: has no values'],
  [
    { type: 'array', oneOf: { properties: { a: { type: 'string', defaultValue: 'x' } } } },
    '.oneOf.properties.a.defaultValue: what stands in an array is stored as it was sent',
  ],
  [
    { type: 'array', oneOf: { properties: { a: { type: 'string', columnName: 'x' } } } },
    '.oneOf.properties.a.columnName: there is no column inside an array or a map',
  ],
  [
    { type: 'map', properties: { a: { type: 'array', oneOf: { properties: { b: belongsTo() } } } } },
    '.properties.a.oneOf.properties.b: a relation is a column with a foreign key, and there is none inside an array or a map',
  ],
  [
    { type: 'map', properties: { a: { type: 'string', access: { read: [] }, excludeFromApi: true } } },
    '.properties.a.access: stands beside excludeFromApi; one of them',
  ],
  [
    { type: 'map', properties: { a: { type: 'string', access: { read: 'hr' } } } },
    '.properties.a.access.read: must be a list of roles, such as ["editor"]',
  ],
  [
    { type: 'map', properties: { a: { type: 'string', access: { write: ['hr'] }, validation: { required: true } } } },
    '.properties.a.validation.required: who may not write it could not write what it is a part of; leave out one of them',
  ],
  [
    { type: 'array', oneOf: { properties: { a: { type: 'string', excludeFromApi: true, validation: { required: true } } } } },
    '.oneOf.properties.a.validation.required: who may not write it could not write what it is a part of; leave out one of them',
  ],
  [
    { type: 'array', of: { type: 'string', access: { read: ['hr'] } } },
    '.of.access: the elements of an array are as open as the array; declare it of the array, or of their parts',
  ],
  [
    { type: 'array', of: { type: 'map', excludeFromApi: true } },
    '.of.excludeFromApi: the elements of an array are as open as the array; declare it of the array, or of their parts',
  ],
  [
    { type: 'map', keyValue: true, properties: { a: { type: 'string', access: { read: ['hr'] } } } },
    '.keyValue: a map of any keys has no parts with access of their own',
  ],
  [
    { type: 'map', columnType: 'json', properties: { a: { type: 'string', access: { read: ['hr'] } } } },
    '.columnType: json is shown as it was sent, and not without parts that have access of their own; '
      + 'without columnType the column is jsonb',
  ],
  [
    { type: 'array', columnType: 'json', of: { type: 'map', properties: { a: { type: 'string', excludeFromApi: true } } } },
    '.columnType: json is shown as it was sent, and not without parts that have access of their own; '
      + 'without columnType the column is jsonb',
  ],
  [
    { type: 'map', validation: { unique: true }, properties: { a: { type: 'string', access: { read: ['hr'] } } } },
    '.validation.unique: would tell of parts that not everybody may read',
  ],
  [
    manyToMany({ through: { properties: { note: { type: 'map', properties: { a: { type: 'string', access: { read: ['hr'] } } } } } } }),
    '.relation.through.properties.note: who sees a link sees all of it; for access lists make the junction a collection of its own',
  ],
  [{ type: 'array', of: { type: 'string', defaultValue: 'x' } }, '.of.defaultValue: what stands in an array is stored as it was sent'],
  [
    { type: 'array', of: { type: 'map', properties: { a: { type: 'map', properties: { b: { type: 'string', defaultValue: 'x' } } } } } },
    '.of.properties.a.properties.b.defaultValue: what stands in an array is stored as it was sent',
  ],
  [{ type: 'map', properties: { a: { type: 'number', defaultValue: 'x' } } }, '.properties.a.defaultValue: is not a number'],
  [
    { type: 'map', properties: { a: { type: 'number', validation: { integer: true }, defaultValue: 1.5 } } },
    '.properties.a.defaultValue: is not a number',
  ],
  [
    { type: 'map', properties: { a: { type: 'string', enum: ['b'], defaultValue: 'c' } } },
    '.properties.a.defaultValue: is none of the values of enum',
  ],
  [
    { type: 'map', columnType: 'json', properties: { a: { type: 'number', defaultValue: 1 } } },
    '.properties.a.defaultValue: json is stored as it was sent; without columnType the column is jsonb',
  ],
  [
    { type: 'map', defaultValue: {}, properties: { a: { type: 'number', defaultValue: 1 } } },
    '.properties.a.defaultValue: the map has a default of its own, so this one would never be used',
  ],
  [
    { type: 'map', properties: { m: { type: 'map', defaultValue: {}, properties: { a: { type: 'number', defaultValue: 1 } } } } },
    '.properties.m.properties.a.defaultValue: the map has a default of its own, so this one would never be used',
  ],
  [{ type: 'array', of: { type: 'string', columnName: 'x' } }, '.of.columnName: there is no column inside an array or a map'],
  [
    { type: 'map', properties: { a: belongsTo() } },
    '.properties.a: a relation is a column with a foreign key, and there is none inside an array or a map',
  ],
  [
    { type: 'array', of: { type: 'reference', path: 'users' } },
    '.of: a reference is a column with a foreign key, and there is none inside an array or a map',
  ],
  [
    { type: 'map', properties: { a: { type: 'date', autoValue: 'on_create' } } },
    '.properties.a.autoValue: a stamp is a column, and there is none inside an array or a map',
  ],
  [{ type: 'string', description: 'a\0' }, '.description: holds a character that PostgreSQL cannot store'],
  [{ type: 'string', description: '\ud800' }, '.description: holds a character that PostgreSQL cannot store'],
  [{ type: 'relation' }, ': names no relation: it needs relation or relationName'],
  [{ type: 'relation', relationName: 'x' }, ': there is no x among relations'],
  [belongsTo({ target: 'nobody' }), '.relation: there is no collection "nobody"'],
  [belongsTo({ kind: 'owns' }), '.relation: unknown kind "owns"; known are belongsTo, hasOne, hasMany, manyToMany, via'],
  [belongsTo({ through: {} }), '.relation.through: belongs to relations of kind manyToMany, this is "belongsTo"'],
  [belongsTo({ cardinality: 'one' }), '.relation.cardinality: belongs to relations of kind via, this is "belongsTo"'],
  [belongsTo({ onDelete: 'explode' }), '.relation.onDelete: must be one of cascade, restrict, no action, set null, set default'],
  [belongsTo({ onUpdate: 'explode' }), '.relation.onUpdate: must be one of cascade, restrict, no action, set null, set default'],
  [belongsTo({ localKey: 'text' }), '.relation: its column text is text, what it leads to is uuid'],
  [{ ...belongsTo(), defaultValue: 1 }, '.defaultValue: a relation has no default'],
  [hasMany({ sourceKey: 'nope' }), '.relation.sourceKey: posts has no column nope'],
  [hasMany({ sourceKey: 'text' }), '.relation.sourceKey: text is not unique'],
  [{ ...hasMany(), validation: { required: true } }, '.validation: only a belongsTo has a column in posts'],
  [
    { ...manyToMany(), access: { read: ['hr'] } },
    '.access: only a belongsTo has a column in posts; declare access lists where the foreign key is',
  ],
  [manyToMany({ onDelete: 'set null' }), '.relation.onDelete: the columns of a junction are its key and cannot be null'],
  [manyToMany({ onUpdate: 'set null' }), '.relation.onUpdate: the columns of a junction are its key and cannot be null'],
  [
    manyToMany({ through: { sourceColumn: 'a', targetColumn: 'a' } }),
    '.relation: both columns of the junction are named a; name them in through',
  ],
  [
    manyToMany({ through: { properties: { user: belongsTo() } } }),
    '.relation.through.properties.user: a junction leads to its two ends; for a relation make it a collection of its own',
  ],
  [
    manyToMany({ through: { properties: { note: { type: 'map', properties: { a: { type: 'string', defaultValue: 'x' } } } } } }),
    '.relation.through.properties.note.properties.a.defaultValue: what stands in a junction is stored as it was sent',
  ],
  [
    manyToMany({ through: { properties: { note: { type: 'string', access: { read: ['hr'] } } } } }),
    '.relation.through.properties.note: who sees a link sees all of it; for access lists make the junction a collection of its own',
  ],
  [{ type: 'relation', relation: { kind: 'via', target: 'users' } }, '.relation: needs a joinPath'],
];

test('each fault of a property is named where it is', async t => {
  for (const [property, expected] of some(badProperties)) {
    const { problems } = await load(t,
      { 'users.json': users, 'posts.json': { slug: 'posts', properties: { text: { type: 'string' }, p: property } } });
    t.ok(problems.includes(`posts.properties.p${expected}`), `${JSON.stringify(property)}: ${JSON.stringify(problems)}`);
    t.equal(problems.length, 1, `and nothing else is said: ${JSON.stringify(problems)}`);
  }
});

const FROM = 'must be {"claim": …} or {"membership": {"collection": …, "userField": …, "tenantField": …}}';

const badCollections: [object, string[]][] = [
  [{ slug: 'collections' }, ['collections.slug: collections is the name of a route']],
  [{ slug: '_batch' }, ['_batch.slug: _batch is the name of a route']],
  [{ slug: '_drafts' }, ['_drafts.slug: _drafts begins with _, as only names of the service do']],
  [{ slug: 'a'.repeat(64) }, [
    `${'a'.repeat(64)}.slug: the slug ${'a'.repeat(64)} is longer than the 63 bytes of a name in PostgreSQL`,
    `${'a'.repeat(64)}.table: the table ${'a'.repeat(64)} is longer than the 63 bytes of a name in PostgreSQL`,
  ]],
  [{ slug: 'x', properties: { _note: { type: 'string' } } }, ['x.properties._note: _note begins with _, as only names of the service do']],
  [{ slug: 'x', schema: 'graphile_migrate' }, ['x.schema: graphile_migrate is not for tables of a project']],
  [
    { slug: 'x', properties: { id: { type: 'string', isId: '(select 1)::text' } } },
    ['x.properties.id.isId: cannot be a default, tried as service_user: cannot use subquery in DEFAULT expression'],
  ],
  [
    { slug: 'x', properties: { id: { type: 'string', isId: 'no_such_function()' } } },
    ['x.properties.id.isId: cannot be a default, tried as service_user: function no_such_function() does not exist'],
  ],
  [
    { slug: 'x', properties: { id: { type: 'number', isId: '\'a\'||1' } } },
    ['x.properties.id.isId: cannot be a default, tried as service_user: column "value" is of type integer but default expression is of '
      + 'type text'],
  ],
  [{ slug: 'a b' }, ['a b.slug: must be letters, digits, _, ~ and - only']],
  [{ slug: 'x', table: long }, [`x.table: the table ${long} is longer than the 63 bytes of a name in PostgreSQL`]],
  [{ slug: 'x', table: '' }, ['x.table: must not be empty']],
  [{ slug: 'x', schema: 'service' }, ['x.schema: service is not for tables of a project']],
  [{ slug: 'x', schema: 'pg_catalog' }, ['x.schema: pg_catalog is not for tables of a project']],
  [{ slug: 'x', properties: [] }, ['x.properties: must be an object']],
  [{ slug: 'x', rls: [] }, ['x.rls: has another name: securityRules']],
  [{ slug: 'x', auth: 'yes' }, ['x.auth: must be true, false or {"enabled": true}']],
  [{ slug: 'x', path: 'y' }, ['x.path: of document databases; use table']],
  [{ slug: 'x', history: 'yes' }, ['x.history: must be a boolean']],
  [{ slug: 'x', softDelete: true }, ['x.softDelete: needs a date property deletedAt']],
  [
    { slug: 'x', softDelete: { field: 'gone' }, properties: { id: { type: 'number', isId: true }, gone: { type: 'string' } } },
    ['x.softDelete: needs a date property gone'],
  ],
  [{
    slug: 'x', softDelete: true,
    properties: { id: { type: 'number', isId: true }, deletedAt: { type: 'date', validation: { required: true } } },
  }, ['x.softDelete: deletedAt is required, but a row that is not deleted has none']],
  [{
    slug: 'x', softDelete: true, properties: { id: { type: 'number', isId: true }, deletedAt: { type: 'date', autoValue: 'on_create' } },
  }, ['x.softDelete: deletedAt must be empty in a new row: it may have no default']],
  [{ slug: 'x', softDelete: 'yes' }, ['x.softDelete: must be true, false or {"field": …}']],
  [{ slug: 'x', tenant: true }, ['x.tenant: must be an object']],
  [{ slug: 'x', tenant: {} }, ['x.tenant: lacks field', 'x.tenant: lacks from']],
  [{ slug: 'x', tenant: { field: 'org', from: { claim: 'org' } } }, ['x.tenant.field: x has no property org with a column']],
  [{ slug: 'x', tenant: { field: '', from: {} } }, ['x.tenant.field: must not be empty', `x.tenant.from: ${FROM}`]],
  ...[
    5, 'org', { claim: '' }, { claim: 5 }, { claim: 'org', membership: {} }, { membership: { collection: 'x' } }, { cliam: 'org' },
  ].map((from): [object, string[]] => [
    { slug: 'x', properties: { org: { type: 'string' } }, tenant: { field: 'org', from } }, [`x.tenant.from: ${FROM}`],
  ]),
  ...['uid', 'sub', 'roles', 'aal', 'isAnonymous', 'is_anonymous'].map((claim): [object, string[]] => [
    { slug: 'x', properties: { org: { type: 'string' } }, tenant: { field: 'org', from: { claim } } },
    [`x.tenant.from.claim: ${claim} says who the caller is, not which tenant`],
  ]),
  ...['boolean', 'date', 'map', 'array', 'geopoint', 'binary'].map((type): [object, string[]] => [
    { slug: 'x', properties: { org: { type } }, tenant: { field: 'org', from: { claim: 'org' } } },
    [`x.tenant.field: org is of type ${type}; a string, a number or a belongsTo holds an id`],
  ]),
  [
    { slug: 'x', properties: { orgs: manyToMany() }, tenant: { field: 'orgs', from: { claim: 'org' } } },
    ['x.tenant.field: x has no property orgs with a column'],
  ],
  [{ slug: 'x', properties: { org: { type: 'strin' } }, tenant: { field: 'org', from: { claim: 'org' } } }, [
    'x.properties.org: unknown type "strin"; known are string, text, enum, number, boolean, date, timestamp, array, map, geopoint, vector, '
      + 'binary, relation, reference',
  ]],
  ...[{ defaultValue: 'a' }, { autoValue: 'user_on_create' }, { isId: 'uuid' }].map((more): [object, string[]] => [
    { slug: 'x', properties: { org: { type: 'string', ...more } }, tenant: { field: 'org', from: { claim: 'org' } } },
    ['x.tenant.field: org has a value of its own in a new row, so no tenant could be put there'],
  ]),
  [{
    slug: 'x', properties: { org: { type: 'string' } }, tenant: { field: 'org', from: { claim: 'org' }, bypassRoles: ['a,b'], bypass: [] },
  }, [
    'x.tenant.bypass: unknown key; a tenant has field, from and bypassRoles',
    'x.tenant.bypassRoles[0]: must be a role name without a comma',
  ]],
  [
    { slug: 'x', properties: { org: { type: 'string' } }, tenant: { field: 'org', from: { claim: 'org' }, bypassRoles: 'admin' } },
    ['x.tenant.bypassRoles: must be a list of roles, such as ["editor"]'],
  ],
  [{
    slug: 'x', properties: { org: { type: 'string' } },
    tenant: { field: 'org', from: { membership: { collection: 'nobody', userField: 'a', tenantField: 'b' } } },
  }, [
    'x.tenant.from.membership.collection: there is no collection "nobody"',
  ]],
  [{
    slug: 'x', properties: { org: { type: 'string' } },
    tenant: { field: 'org', from: { membership: { collection: 'users', userField: 'a', tenantField: 'b' } } },
  }, [
    'x.tenant.from.membership.userField: users has no property a with a column',
    'x.tenant.from.membership.tenantField: users has no property b with a column',
  ]],
  [{
    slug: 'x', properties: { org: { type: 'string' }, uid: { type: 'string' } },
    tenant: { field: 'org', from: { membership: { collection: 'x', userField: 'uid', tenantField: 'org' } } },
  }, [
    'x.tenant.from.membership.collection: who belongs where cannot be read from rows that belong to tenants by it',
  ]],
  [{ slug: 'x', search: {} }, ['x.search: lacks fields']],
  [{ slug: 'x', search: { fields: [] } }, ['x.search.fields: must not be empty']],
  [{ slug: 'x', search: { fields: ['id'], language: 'a; b', mode: 'best', unaccent: 'yes', fuzzyThreshold: 2 } }, [
    'x.search.language: must be the name of a text search configuration, such as english', 'x.search.mode: must be one of fts, hybrid',
    'x.search.unaccent: must be a boolean', 'x.search.fuzzyThreshold: must be <= 1',
  ]],
  [{ slug: 'x', search: { fields: [{ path: 'id', weight: 'E' }] } }, ['x.search.fields[0]: must be a path or {path, weight}']],
  [{
    slug: 'x',
    properties: {
      n: { type: 'number' }, kind: { type: 'string', enum: ['a'] }, code: { type: 'string', columnType: 'uuid' }, day: { type: 'date' },
      sizes: { type: 'array', of: { type: 'number' } }, blocks: { type: 'array' }, hidden: { type: 'string', excludeFromApi: true },
      secret: { type: 'map', access: { read: ['hr'] } }, nobody: { type: 'string', access: { read: [] } },
      half: { type: 'map', properties: {
        open: { type: 'string' },
        in: { type: 'map', properties: { secret: { type: 'string', access: { read: ['hr'] } }, open: { type: 'string' } } },
      } },
      spec: { type: 'map', properties: { size: { type: 'number' }, names: { type: 'array', of: { type: 'string' } } } },
      author: belongsTo(), others: manyToMany(), broken: { type: 'strin' },
    },
    search: { fields: [
      'gone', 'id', 'n', 'kind', 'code', 'day', 'sizes', 'blocks', 'hidden', { path: 'secret.a' }, 'nobody', 'spec.size', 'spec.names',
      'spec.gone', 'id.part', 'author', 'others', 'broken', 'id', 'half', 'half.in', 'half.in.secret', 'half.open', 'half.in.open',
    ] },
  }, [
    'x.properties.broken: unknown type "strin"; known are string, text, enum, number, boolean, date, timestamp, array, map, geopoint, '
      + 'vector, binary, relation, reference',
    'x.search.fields[0]: x has no property gone',
    'x.search.fields[2]: n is of type number; strings, lists of strings and maps are searched',
    'x.search.fields[3]: kind is no text; filter by it',
    'x.search.fields[4]: code is no text; filter by it',
    'x.search.fields[5]: day is of type date; strings, lists of strings and maps are searched',
    'x.search.fields[6]: sizes is of type array; strings, lists of strings and maps are searched',
    'x.search.fields[7]: blocks is of type array; strings, lists of strings and maps are searched',
    'x.search.fields[8]: hidden is not for everybody to read, so it cannot be searched',
    'x.search.fields[9]: secret is not for everybody to read, so it cannot be searched',
    'x.search.fields[10]: nobody is not for everybody to read, so it cannot be searched',
    'x.search.fields[11]: spec.size is of type number; strings, lists of strings and maps are searched',
    'x.search.fields[13]: spec has no part gone',
    'x.search.fields[14]: id is no map, so there is no part in it',
    'x.search.fields[15]: x has no property author with a column',
    'x.search.fields[16]: x has no property others with a column',
    'x.search.fields[18]: id stands twice',
    ...['half', 'half.in', 'half.in.secret'].map((path, n) =>
      `x.search.fields[${19 + n}]: ${path} is not for everybody to read, not in all its parts, so it cannot be searched`),
  ]],
  [
    { slug: 'x', properties: { text: { type: 'string', columnName: 'search_vector' } }, search: { fields: ['text'] } },
    ['x.search.column: search_vector is the column of text'],
  ],
  [{
    slug: 'x', properties: { text: { type: 'string', columnName: 'words_text' } },
    search: { fields: ['text'], column: 'words', fuzzy: true },
  }, ['x.search.column: words_text is the column of text']],
  [{ slug: 'x', search: { fields: ['id'], column: 'ctid' } }, ['x.search.column: ctid is a system column of every table']],
  [
    { slug: 'x', search: { fields: ['id'], column: long } },
    [`x.search.column: the column ${long} is longer than the 63 bytes of a name in PostgreSQL`],
  ],
  [{ slug: 'x', properties: { _matches: { type: 'string' } } }, ['x.properties._matches: _matches has a meaning of its own in rows']],
  [{ slug: 'x', dataSource: 'other' }, ['x.dataSource: there is one database; leave it out or say "(default)"']],
  [{ slug: 'x', engine: 'mongo' }, ['x.engine: only postgres is served']],
  [{ slug: 'x', subcollections: [] }, ['x.subcollections: of document databases; use relations']],
  [
    { slug: 'x', callbacks: { beforeQuery: 'f' } },
    ['x.callbacks.beforeQuery: is no hook; beforeSave, afterSave, afterRead, beforeDelete and afterDelete are'],
  ],
  [
    { slug: 'x', callbacks: { beforeSave: 'f()' } },
    ['x.callbacks.beforeSave: must be the name of a function, such as app.posts_before_save'],
  ],
  ...[
    5, 'f()', { masks: ['id'] }, { function: 'f()' }, { function: 'f', masks: 'id' }, { function: 'f', masks: [5] },
    { function: 'f', mask: ['id'] },
  ].map((afterRead): [object, string[]] => [
    { slug: 'x', callbacks: { afterRead } },
    ['x.callbacks.afterRead: must be the name of a function, such as app.cards_after_read, or {"function": …, "masks": […]}'],
  ]),
  [
    { slug: 'x', callbacks: { beforeSave: { function: 'f' } } },
    ['x.callbacks.beforeSave: must be the name of a function, such as app.posts_before_save'],
  ],
  [{
    slug: 'x', properties: { number: { type: 'string' }, others: manyToMany() },
    callbacks: { afterRead: { function: 'f', masks: ['number', 'numbr', 'gone', 'others', 'id'] } },
  }, [
    'x.callbacks.afterRead.masks[1]: x has no property numbr with a column',
    'x.callbacks.afterRead.masks[2]: x has no property gone with a column',
    'x.callbacks.afterRead.masks[3]: x has no property others with a column',
    'x.callbacks.afterRead.masks[4]: the key stands in every address and cursor, so id cannot be masked',
  ]],
  [{ slug: 'x', properties: { number: { type: 'string' } }, callbacks: { afterRead: { function: 'f', masks: ['number'] } }, search:
    { fields: ['number'] } }, ['x.search.fields[0]: number is masked by afterRead, so it cannot be searched']],
  [
    { slug: 'x', properties: { a: { type: 'string', isId: true }, b: { type: 'string', isId: true } } },
    ['x.properties.b.isId: a second key beside a; a unique index can hold it'],
  ],
  [
    { slug: 'x', properties: { oneTwo: { type: 'string' }, one_two: { type: 'string' } } },
    ['x.properties.one_two.columnName: one_two is the column of oneTwo too'],
  ],
  [{ slug: 'x', properties: { count: manyToMany() } }, ['x.properties.count: count is the name of a route']],
  [{ slug: 'x', properties: { _pivot: { type: 'string' } } }, ['x.properties._pivot: _pivot has a meaning of its own in rows']],
  ...['a.b', 'a->b', 'a,b', 'a:b', 'a(b', '*', ' a'].map((name): [object, string[]] => [
    { slug: 'x', properties: { [name]: { type: 'string', columnName: 'c' } } },
    [`x.properties.${name}: a query cannot name ${JSON.stringify(name)}: no dot, comma, colon, parenthesis, asterisk, "->", control `
      + `character or blank at the ends`],
  ]),
  [{ slug: 'x', properties: { '': { type: 'string', columnName: 'c' } } }, ['x.properties.: a name must not be empty']],
  [
    { slug: 'x', properties: { [long]: { type: 'string', columnName: 'c' } } },
    [`x.properties.${long}: the name ${long} is longer than the 63 bytes of a name in PostgreSQL`],
  ],
  [
    { slug: 'x', table: 'x'.repeat(60), properties: { kind: { type: 'enum', enum: ['a'] } } },
    [`x.properties.kind: the enum type ${'x'.repeat(60)}_kind is longer than the 63 bytes of a name in PostgreSQL`],
  ],
  [
    { slug: 'x', properties: { users: { type: 'string' } }, relations: [{ kind: 'hasMany', target: 'users' }] },
    ['x.properties.users: a property is named users too'],
  ],
  [
    { slug: 'x', relations: [{ kind: 'hasMany', target: 'users' }, { kind: 'manyToMany', target: 'users' }] },
    ['x.relations (users): two relations are named users'],
  ],
  [
    { slug: 'x', properties: { a: manyToMany(), b: manyToMany() } },
    ['x.properties.b.relation: its junction users_x is also that of another relation of the same direction; name another table in through'],
  ],
  [
    { slug: 'x', properties: { authorId: { type: 'string', columnName: 'other' }, author: belongsTo() } },
    ['x.properties.author.relation: its column author_id is named authorId in the API, and so is the property of column other'],
  ],
  [
    { slug: 'x', properties: { a: manyToMany({ through: { table: 'users' } }) } },
    ['x.a.through: public.users would be the junction table users, and is the table of users'],
  ],
  [{ slug: 'x', table: 'users_kind' }, ['y.properties.kind: public.users_kind would be the enum type of y.kind, and is the table of x']],
  [{ slug: 'x', securityRules: {} }, ['x.securityRules: must be an array']],
  [{ slug: 'x', securityRules: [{ access: 'everyone' }] }, ['x.securityRules[0].access: must be "public"']],
  [{ slug: 'x', securityRules: [{ roles: 'admin' }] }, ['x.securityRules[0].roles: must be a list of roles, such as ["editor"]']],
  [
    { slug: 'x', securityRules: [{ operation: 'read', access: 'public' }] },
    ['x.securityRules[0].operation: must be one of select, insert, update, delete, all'],
  ],
  [{ slug: 'x', securityRules: [{ pgRoles: ['postgres'] }] }, ['x.securityRules[0].pgRoles[0]: must be one of public, service_user']],
  [{ slug: 'x', securityRules: [{ ownerField: 'nope' }] }, ['x.securityRules[0].ownerField: x has no property nope with a column']],
  [
    { slug: 'x', securityRules: [{ access: 'public', using: 'true' }] },
    ['x.securityRules[0]: says who in 2 ways: access, using/withCheck; one rule, one way'],
  ],
  [
    { slug: 'x', securityRules: [{ roles: ['a'], mode: 'restrictive' }] },
    ['x.securityRules[0].roles: cannot stand in a restrictive rule; say it in condition'],
  ],
  [
    { slug: 'x', securityRules: [{ condition: { kind: 'true' }, access: 'public' }] },
    ['x.securityRules[0]: says who in 2 ways: access, condition; one rule, one way'],
  ],
  [{ slug: 'x', securityRules: [{ access: 'public', only: 'mine' }] }, ['x.securityRules[0].only: unknown key; a rule is not guessed at']],
  [
    { slug: 'x', securityRules: [{ operation: 'update', withCheck: 'true' }] },
    ['x.securityRules[0].using: is missing: withCheck alone is for insert'],
  ],
  [
    { slug: 'x', securityRules: [{ operation: 'select', using: 'true', withCheck: 'true' }] },
    ['x.securityRules[0].withCheck: select writes no row that could be checked'],
  ],
  [
    { slug: 'x', securityRules: [{ name: 'a', access: 'public' }, { name: 'a', access: 'public' }] },
    ['x.securityRules[1].name: two policies are named a'],
  ],
  [
    { slug: 'x', securityRules: [{ name: 'x_default_admin', access: 'public' }] },
    ['x.securityRules[0].name: x_default_admin is a policy of the service'],
  ],
  [{ slug: 'x', indexes: [{ on: ['nope'], reason: 'r' }] }, ['x.indexes[0].on[0]: x has no property nope with a column']],
  [{ slug: 'x', indexes: [{ on: ['id'] }] }, ['x.indexes[0]: lacks reason']],
  [{ slug: 'x', indexes: [{ on: ['id'], reason: 'r' }] }, ['x.indexes[0]: the primary key has its index']],
  [
    { slug: 'x', properties: { a: { type: 'string' } }, indexes: [{ on: ['a'], reason: 'r', unique: true }] },
    ['x.indexes[0]: a single unique property says validation.unique'],
  ],
  [
    { slug: 'x', properties: { a: { type: 'string' } }, indexes: [{ on: ['a'], reason: 'r' }, { on: ['a'], reason: 'again' }] },
    ['x.indexes[1]: is the same as x.indexes[0]'],
  ],
  [
    { slug: 'x', properties: { a: { type: 'map' } }, indexes: [{ on: [{ prop: 'a', nulls: 'first' }], using: 'gin', reason: 'r' }] },
    ['x.indexes[0].using: gin knows no direction, nulls, unique or include'],
  ],
  [
    { slug: 'x', properties: { a: { type: 'string' } }, indexes: [{ on: ['a'], reason: 'r', where: { prop: 'a', op: 'in', value: 'b' } }] },
    ['x.indexes[0].where.value: must be a list of values'],
  ],
];

test('each fault of a collection is named where it is', async t => {
  const others: Files = { 'users.json': users, 'y.json': { slug: 'y', table: 'users', schema: 'other' } };
  for (const [collection, expected] of some(badCollections)) {
    const withEnum = (collection as { table?: string }).table === 'users_kind' ? {
      'y.json': { slug: 'y', table: 'users', schema: 'public', properties: { kind: { type: 'enum', enum: ['a'] } } },
      'users.json': { ...users, table: 'people' },
    } : {};
    t.same((await load(t, { ...others, ...withEnum, 'x.json': collection })).problems, expected.toSorted(), JSON.stringify(collection));
  }
});

test('files that are no collection', async t => {
  const problem = async (text: string) => (await load(t, { 'x.json': text })).problems;
  t.same(await problem('{\n  "slug": "x",\n  "name": }\n'), ['x.json:3:11: value expected']);
  t.same(await problem('{ "slug": "x", // why\n}'), ['x.json:1:16: invalid comment token']);
  t.same(await problem('{"slug":"x","name":"a","name":"b"}'), ['x.json:1:24: the key "name" stands twice']);
  t.same(await problem('{"slug":"x"'), ['x.json:1:12: close brace expected']);
  t.match(await problem(''), [/^x\.json:1:1: /]);
  const nested = (levels: number) =>
    `{"slug":"x","securityRules":[{"condition":${'{"kind":"not","operand":'.repeat(levels - 4)}{"kind":"true"}${'}'.repeat(levels - 4)}}]}`;
  t.same(await problem(nested(35)), []);
  t.match(await problem(nested(100)), [/^x\.securityRules\[0\]\.condition(\.operand){32}: is nested deeper than 32 conditions$/]);
  for (const levels of [101, 3000, 100_000]) t.match(await problem(nested(levels)), [/^x\.json:1:\d+: nested deeper than 100 levels$/]);
  t.same(await problem('[]'), ['x.json: must hold one JSON object']);
  t.same(await problem('{}'), ['x.json: lacks slug']);
  t.same((await load(t, { 'x.json': { slug: 'a' }, 'y.json': { slug: 'a' } })).problems, ['a.slug: stands in x.json and in y.json']);
  t.same((await load(t, { 'x.json': { slug: 'a' }, 'y.json': { slug: 'b', table: 'a' } })).problems,
    ['b: public.a would be the table of b, and is the table of a']);
  t.same((await load(t, { 'x.json': { slug: 'a' }, '_defaults.json': { defaultSecurityRules: [{ access: 'all' }], more: 1 } })).problems,
    ['_defaults.json.defaultSecurityRules[0].access: must be "public"']);
});

test('two keys that lead to each other have no type', async t => {
  const key = (target: string) => ({ id: { type: 'relation', isId: true, relation: { kind: 'belongsTo', target } } });
  t.match((await load(t, { 'a.json': { slug: 'a', properties: key('b') }, 'b.json': { slug: 'b', properties: key('a') } })).problems,
    [/^a\.properties\.id\.relation: b takes its key from here/]);
});

test('unknown keys are warned of, refused or passed over', async t => {
  const files = { 'x.json': { slug: 'x', colour: 'red', properties: { a: { type: 'string', shape: 1, validation: { fits: 1 } } } } };
  const lines = ['x.colour: unknown key', 'x.properties.a.shape: unknown key', 'x.properties.a.validation.fits: unknown key'];
  t.same(await load(t, files, 'warn'), { problems: [], warnings: lines });
  t.same(await load(t, files, 'error'), { problems: lines, warnings: [] });
  t.same(await load(t, files, 'off'), { problems: [], warnings: [] });
});

test('a rule that holds for everybody is warned of', async t => {
  for (const using of ['service.uid() is not null', '(select auth.uid()) IS NOT NULL', '((select service.uid()) is not null)']) {
    t.match(await load(t, { 'x.json': { slug: 'x', securityRules: [{ using }] } }),
      { problems: [], warnings: [/^x\.securityRules\[0\]: lets guests/] }, using);
  }
});

test('all faults are reported at once, and one fault causes no other', async t => {
  const { problems } = await load(t, {
    'a.json': '{',
    'posts.json': {
      slug: 'posts',
      properties: {
        a: belongsTo({ target: 'a' }), b: { type: 'what' }, c: { type: 'number', columnType: 'money', defaultValue: 'x' },
        'line\nbreak': { type: 'string' },
      },
      securityRules: [{ ownerField: 'b' }, { ownerField: 'nope' }, { access: 1 }],
      indexes: [{ on: ['b'], reason: 'r' }, { on: [] }],
    },
    'tags.json': {
      slug: 'tags', properties: { posts: { type: 'relation', relation: { kind: 'manyToMany', target: 'posts' } } }, path: 'tags',
    },
  });
  t.same([...problems].sort(), [
    'a.json:1:2: close brace expected',
    'posts.indexes[1].on: must not be empty',
    'posts.indexes[1]: lacks reason',
    'posts.properties.b: unknown type "what"; known are string, text, enum, number, boolean, date, timestamp, array, map, geopoint, '
      + 'vector, binary, relation, reference',
    'posts.properties.c.columnType: must be one of integer, smallint, bigint, serial, bigserial, real, double precision, numeric',
    'posts.properties.c.defaultValue: is not a number',
    'posts.properties.line\\nbreak: a query cannot name "line\\nbreak": no dot, comma, colon, parenthesis, asterisk, "->", '
      + 'control character or blank at the ends',
    'posts.securityRules[1].ownerField: posts has no property nope with a column',
    'posts.securityRules[2].access: must be "public"',
    'tags.path: of document databases; use table',
  ]);
});
