import { conditions } from './conditions.ts';
import { index } from './indexes.ts';
import {
  any, bool, either, functionName, list, mapOf, name, object, roles, schemaText, text, type Schema,
} from '../../json/json-schema.ts';
import { property } from './property.ts';
import { propertySchema } from './properties.ts';
import { relation } from './relations.ts';
import { rule } from './rules.ts';
import { search } from './search.ts';

const callbacks = ['beforeSave', 'afterSave', 'beforeDelete', 'afterDelete'];
const afterRead = either(
  'A function, and which fields it masks: rows show them as it returns them, and nobody can filter, sort, group, search or join by them.',
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
  'Its rows are the accounts of people; one collection at most. It gets their properties by itself, and nobody but admin writes it.',
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
