import { conditions, condition } from './conditions.ts';
import { index } from './indexes.ts';
import {
  any, bool, either, functionName, list, mapOf, name, object, roles, schemaText, text, number, oneOf, type Schema,
} from '../../json/json-schema.ts';
import { property } from './property.ts';
import { propertySchema } from './properties.ts';
import { relation } from './relations.ts';

const operations = ['select', 'insert', 'update', 'delete', 'all'];

const rule = object('A policy of row security.', {
  name: name('Name of the policy; several operations add _<operation>.'),
  operation: oneOf('What it is about; default all.', ...operations),
  operations: list('Several of them.', { enum: operations }, { minItems: 1, uniqueItems: true }),
  mode: oneOf('permissive widens, restrictive narrows.', 'permissive', 'restrictive'),
  roles: { ...roles('Application roles that it is for.'), minItems: 1 },
  pgRoles: list('Database roles that it is for.', { enum: ['public', 'service_user'] }, { minItems: 1 }),
  ownerField: name('Property that holds the id of the row\'s owner.'),
  access: { const: 'public', description: 'Every row.', 'x-expected': '"public"' },
  using: name('SQL expression over the stored row; {property} stands for its column.'),
  withCheck: name('SQL expression over the row that is written.'),
  condition: { ...condition, description: 'Structured condition over the stored row.' },
  check: { ...condition, description: 'Structured condition over the row that is written; unless it is there, condition is.' },
});

const path = name('A string, a list of strings, a map, or a path in a map, such as attributes.material.');
const weight = oneOf('How much a hit counts: A most, D least; default B.', 'A', 'B', 'C', 'D');

const search = object('Ranked text search, by searchString.', {
  fields: list('What is searched.', either('', 'a path or {path, weight}', path, object('', { path, weight }, ['path'])), { minItems: 1 }),
  language: name('Text search configuration, which knows stop words and stems: english, german … Default simple, which knows none.', {
    default: 'simple',
    pattern: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$',
    'x-expected': 'the name of a text search configuration, such as english',
  }),
  mode: { ...oneOf('fts: words. hybrid: also parts of words.', 'fts', 'hybrid'), default: 'fts' },
  unaccent: bool('Accents make no difference. Needs the extension unaccent.', false),
  fuzzy: bool('Also words that are alike, such as misspelt ones. Needs the extension pg_trgm.', false),
  fuzzyThreshold: number('How alike, from 0 to 1.', { minimum: 0.01, maximum: 1, default: 0.3 }),
  column: { ...name('The generated column of the words; default search_vector.'), default: 'search_vector' },
}, ['fields']);

const callbacks = ['beforeSave', 'afterSave', 'beforeDelete', 'afterDelete'];
const afterRead = either(
  'A function, and which fields it masks: rows show them as it returns them, and no caller can filter, sort, group, search or '
    + 'join by them.',
  'the name of a function, such as app.cards_after_read, or {"function": …, "masks": […]}',
  functionName,
  object('', { function: functionName, masks: list('Names of properties.', name('A property with a column.')) }, ['function']),
);

const softDelete = either(
  'A deleted row is kept, with the time of its deletion in this property; true is deletedAt.',
  'true, false or {"field": …}',
  bool(''),
  object('', { field: name('A date property.') }, ['field']),
);

const membership = object('The caller\'s rows of a collection name the caller\'s tenants.', {
  collection: name('Its slug.'),
  userField: name('Property that holds a uid.'),
  tenantField: name('Property that holds a tenant.'),
}, ['collection', 'userField', 'tenantField']);
const tenant = object('Rows belong to tenants, and callers see and write those of their own.', {
  field: name('Property that holds the tenant of a row: a string, a number or a belongsTo.'),
  from: either(
    'Where the tenants of a caller are found.',
    '{"claim": …} or {"membership": {"collection": …, "userField": …, "tenantField": …}}',
    object('', { claim: name('A claim of the access token.') }, ['claim']), object('', { membership }, ['membership']),
  ),
  bypassRoles: { ...roles('Who is bound to no tenant, besides the service key.'), default: ['admin'] },
}, ['field', 'from']);

const auth = either(
  'Its rows are the accounts of people; one collection at most. It gets their properties by itself, and only admin writes it.',
  'true, false or {"enabled": true}',
  bool(''),
  object('', { enabled: bool('', true) }),
);

export const collectionSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Rowgate collection',
  ...object('One collection: a table, its properties, relations and rules.', {
    $schema: text('For editors.'),
    slug: text('Name in the URL and target of relations.', {
      pattern: '^[A-Za-z0-9_~-]+$', 'x-expected': 'letters, digits, _, ~ and - only',
    }),
    name: text('Label of the whole: "Order items".'),
    singularName: text('Label of one row: "Order item".'),
    description: text('Shown in the API document.'),
    table: name('Default: the slug in snake_case.'),
    schema: { ...name('Schema of the table.'), default: 'public' },
    properties: mapOf('The fields, by their names in the API.', property),
    relations: list('Relations without a property of their own.', relation({ relationName: name('Default: the target\'s slug.') })),
    securityRules: list('Who may do what to which rows. None: admin only.', rule),
    disableDefaultPolicies: bool('Leave out the policies that let admin read and write everything.', false),
    indexes: list('Indexes besides those of keys and unique properties.', index),
    strictWrites: bool('false: a body may name a real column that is not declared.', true),
    exposed: bool('false: the table is managed, but has no routes, and no relation leads there.', true),
    readOnly: bool('true: the API writes nothing.', false),
    callbacks: object('SQL functions that run with every write or read.', {
      ...Object.fromEntries(callbacks.map(hook => [hook, functionName])), afterRead,
    }),
    dataSource: text('The database; there is one.', { default: '(default)' }),
    engine: text('', { default: 'postgres' }),
    auth,
    history: bool('true: what becomes of each row is kept, and rows can be brought back.', false),
    softDelete,
    tenant,
    search,
    databaseId: any('Passed through.'),
    ownerId: any('Passed through.'),
    metadata: any('Passed through.'),
    admin: any('For panels only.'),
    childCollections: any('Of document databases: refused.'),
    subcollections: any('Of document databases: refused.'),
    path: any('Of document databases: refused.'),
  }, ['slug']),
  $defs: { property: propertySchema, ...conditions },
};

export const defaultsSchema: Schema = {
  ...object('What holds for every collection of the directory.', {
    $schema: text('For editors.'),
    defaultSecurityRules: list('The rules of collections that have none.', rule),
  }),
  $defs: conditions,
};

/** The text of schemas/collection.schema.json. */
export function publishedSchema(): string {
  return schemaText(collectionSchema);
}
