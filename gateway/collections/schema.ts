import { any, bool, either, later, list, mapOf, name, number, object, oneOf, text, whole, type Keys, type Schema } from './json-schema.ts';

const roles = (description: string): Schema => list(description, { type: 'string', pattern: '^[^,]+$', 'x-expected': 'a role name without a comma' }, { 'x-expected': 'a list of roles, such as ["editor"]' });
const property: Schema = { $ref: '#/$defs/property' };

const everyValidation: Keys = {
  required: bool('A create must send it; the column is NOT NULL.', false),
  requiredMessage: text('What is said when it is missing.'),
  unique: bool('No two rows have the same value.', false),
};
const validation = (keys: Keys = {}): Schema => object('Rules that the API checks on what a caller sends.', { ...everyValidation, ...keys });
const dateBound = (description: string): Schema => text(description, { pattern: '^\\d{4}-\\d{2}-\\d{2}', 'x-expected': 'an ISO date' });

const validations: Readonly<Record<string, Schema>> = {
  string: validation({
    length: whole('Exact number of characters.', 0),
    min: whole('Fewest characters.', 0),
    max: whole('Most characters; the width of a varchar or char column.', 0),
    matches: text('A PostgreSQL regular expression that matches somewhere in the value; or /…/ with the flag i.'),
    matchesMessage: text('What is said when it does not match.'),
    trim: bool('Store it without blanks around it.', false),
    lowercase: bool('Store it in lower case.', false),
    uppercase: bool('Store it in upper case.', false),
  }),
  number: validation({
    min: number('Smallest value.'),
    max: number('Largest value.'),
    moreThan: number('The value is above this.'),
    lessThan: number('The value is below this.'),
    positive: bool('The value is above 0.', false),
    negative: bool('The value is below 0.', false),
    integer: bool('The value is a whole number.', false),
  }),
  date: validation({ min: dateBound('Earliest date.'), max: dateBound('Latest date.') }),
  array: validation({
    min: whole('Fewest elements.', 0),
    max: whole('Most elements.', 0),
    uniqueInArray: bool('No element stands twice.', false),
  }),
};

const access = object('Who may read and write this field. No list: whom the row rules let. Empty: nobody.', {
  read: roles('Roles that may read it; admin always may.'),
  write: roles('Roles that may write it; admin always may.'),
});

const everyProperty: Keys = {
  name: text('Label.'),
  description: text('Shown in the API document.'),
  columnName: name('Column; default: the key in snake_case.'),
  defaultValue: any('Becomes the column\'s DEFAULT.'),
  access,
  excludeFromApi: bool('Never read and never written through the API.', false),
  metadata: any('Passed through.'),
  conditions: any('For forms only; the service does not enforce it.'),
  dynamicProps: any('For forms only; the service does not enforce it.'),
  propertyConfig: any('For forms only.'),
  admin: any('For forms only.'),
  callbacks: later('Callbacks of a single property.'),
};

const isId = either(
  'The primary key: uuid and increment are made by the database; true and manual come from the caller; any other text is a SQL default expression.',
  'true, false, "uuid", "increment", "manual" or a SQL expression', { type: 'boolean' }, { type: 'string', minLength: 1, examples: ['uuid', 'increment', 'manual'] },
);

const enumeration = either(
  'The values that are allowed, in order: ids, {id, label} objects, or an object of id to label. Of a string it becomes a native enum type.',
  'a list of ids or {id, label} objects, or an object of id to label',
  list('', { anyOf: [{ type: ['string', 'number'] }, { type: 'object', required: ['id'], properties: { id: { type: ['string', 'number'] }, label: { type: 'string' }, disabled: { type: 'boolean' }, color: {} } }] }),
  { type: 'object' },
);

const vectorIndex = either('false: no index; omitted: HNSW over cosine distance. Never built over 2000 dimensions.', 'false or an object such as {"method": "hnsw"}', { const: false }, object('', {
  method: oneOf('', 'hnsw', 'ivfflat'),
  distance: { anyOf: [{ enum: ['cosine', 'l2', 'inner_product'] }, { type: 'array', minItems: 1, uniqueItems: true, items: { enum: ['cosine', 'l2', 'inner_product'] } }] },
  m: whole('HNSW: connections a layer.', 2, 100),
  efConstruction: whole('HNSW: candidates while building.', 4, 1000),
  lists: whole('IVFFlat: number of lists.', 1, 32_768),
}));

const onDelete = oneOf('What becomes of this row when the other is deleted. Default: set null, or restrict when it is required.', 'cascade', 'restrict', 'no action', 'set null', 'set default');
const target = either('Slug of the other collection.', 'a slug', { type: 'string', minLength: 1 }, { type: 'object', required: ['__collectionRef'], properties: { __collectionRef: { type: 'string' } }, additionalProperties: false });

const everyRelation: Keys = { target, onDelete, validation: validation(), onUpdate: later('What follows a changed key.') };
const onTarget: Keys = {
  foreignKeyOnTarget: name('Column of the target that leads here; default: <singular of this slug>_id.'),
  sourceKey: name('Unique column here that it leads to; default: the primary key.'),
};

/** What each kind of relation has besides its kind. */
export const relationKeys: Readonly<Record<string, Keys>> = {
  belongsTo: { ...everyRelation, localKey: name('Foreign key column here; default: <singular of the name>_id.') },
  hasOne: { ...everyRelation, ...onTarget },
  hasMany: { ...everyRelation, ...onTarget },
  manyToMany: {
    ...everyRelation,
    through: object('The junction table.', {
      table: name('Default: both table names in order, joined by _.'),
      sourceColumn: name('Leads to this side; default: <singular of this slug>_id.'),
      targetColumn: name('Leads to the other side; default: <singular of the target>_id.'),
      properties: mapOf('Columns of the junction of its own.', property),
    }),
  },
  via: { ...everyRelation, cardinality: oneOf('', 'one', 'many'), joinPath: list('', { type: 'object' }) },
};

const relation = (more: Keys): Schema => ({
  type: 'object',
  discriminator: { propertyName: 'kind' },
  oneOf: Object.entries(relationKeys).map(([kind, keys]) => object(`A ${kind} relation.`, { kind: { const: kind }, ...keys, ...more }, ['kind', 'target'])),
});

/** What each type has besides the keys of all, with its other names. */
const propertyTypes: { type: string; aliases?: string[]; keys: Keys; required?: string[] }[] = [
  {
    type: 'string',
    aliases: ['text', 'enum'],
    keys: {
      columnType: oneOf('Column type; default text.', 'text', 'varchar', 'char', 'uuid'),
      isId, enum: enumeration,
      email: bool('An email address.', false),
      url: either('An absolute URL.', 'true or false', { type: 'boolean' }, { const: 'url' }),
      autoValue: oneOf('Stamped with the caller\'s id.', 'user_on_create', 'user_on_update'),
      userSelect: any('For forms only.'),
      storage: later('A file that is kept in storage.'),
      validation: validations['string'] as Schema,
    },
  },
  {
    type: 'number',
    keys: {
      columnType: oneOf('Column type; default integer for whole numbers, else numeric.', 'integer', 'smallint', 'bigint', 'serial', 'bigserial', 'real', 'double precision', 'numeric'),
      precision: whole('Digits of a numeric in all.', 1, 1000),
      scale: whole('Digits of a numeric after the point.', 0, 1000),
      isId, enum: enumeration,
      validation: validations['number'] as Schema,
    },
  },
  { type: 'boolean', keys: { validation: validation() } },
  {
    type: 'date',
    aliases: ['timestamp'],
    keys: {
      mode: oneOf('date: a calendar day.', 'date', 'date_time'),
      columnType: oneOf('Column type; default timestamptz(3), or date with mode date.', 'timestamp', 'date', 'time'),
      timezone: either('false: a timestamp without time zone. A text is for display only.', 'true, false or a time zone for display', { type: 'boolean' }, { type: 'string' }),
      autoValue: oneOf('Stamped by the database.', 'on_create', 'on_update'),
      validation: validations['date'] as Schema,
    },
  },
  {
    type: 'array',
    keys: {
      of: property,
      columnType: oneOf('Column type; default a native array for strings, numbers and booleans, else jsonb.', 'json', 'jsonb', 'text[]', 'integer[]', 'numeric[]', 'boolean[]'),
      oneOf: later('Blocks of several types.'),
      validation: validations['array'] as Schema,
    },
  },
  {
    type: 'map',
    keys: {
      properties: mapOf('Its parts.', property),
      keyValue: bool('Any keys, any values.', false),
      propertiesOrder: list('For forms only.', { type: 'string' }),
      columnType: oneOf('Column type; default jsonb.', 'json', 'jsonb'),
      validation: validation(),
    },
  },
  { type: 'geopoint', keys: { validation: validation() } },
  { type: 'vector', keys: { dimensions: whole('Number of components.', 1, 16_000), index: vectorIndex, validation: validation() }, required: ['dimensions'] },
  { type: 'binary', keys: { validation: validation() } },
  {
    type: 'relation',
    keys: {
      relation: relation({}),
      relationName: name('The entry of relations that this stands for, when there is no relation here.'),
      isId, validation: validation(),
    },
  },
  { type: 'reference', keys: { path: name('Slug of the other collection.'), isId, onDelete, validation: validation() }, required: ['path'] },
];

/** Which keys each type of property has, its aliases under their own names. */
export const propertyKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map(propertyTypes.flatMap(({ type, aliases = [], keys }) =>
  [type, ...aliases].map(known => [known, new Set(['type', ...Object.keys(everyProperty), ...Object.keys(keys)])])));

/** Which rules each type of property has. */
export const validationKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map(propertyTypes.map(({ type }) =>
  [type, new Set(Object.keys((validations[type] ?? validation())['properties'] as Keys))]));

const propertySchema: Schema = {
  type: 'object',
  description: 'A property: usually a column.',
  discriminator: { propertyName: 'type' },
  oneOf: propertyTypes.map(({ type, aliases = [], keys, required = [] }) => object(`A property of type ${type}.`, {
    type: aliases.length === 0 ? { const: type } : { enum: [type, ...aliases] },
    ...everyProperty,
    ...keys,
  }, ['type', ...required])),
};

const operation = ['select', 'insert', 'update', 'delete', 'all'];
const rule = object('A policy of row security.', {
  name: name('Name of the policy; several operations add _<operation>.'),
  operation: oneOf('What it is about; default all.', ...operation),
  operations: list('Several of them.', { enum: operation }, { minItems: 1, uniqueItems: true }),
  mode: oneOf('permissive widens, restrictive narrows.', 'permissive', 'restrictive'),
  roles: { ...roles('Application roles that it is for.'), minItems: 1 },
  pgRoles: list('Database roles that it is for.', { enum: ['public', 'service_user'] }, { minItems: 1 }),
  ownerField: name('Property that holds the id of the row\'s owner.'),
  access: { const: 'public', description: 'Every row.', 'x-expected': '"public"' },
  using: name('SQL expression over the stored row; {property} stands for its column.'),
  withCheck: name('SQL expression over the row that is written.'),
  condition: later('A structured condition.'),
  check: later('A structured condition over the row that is written.'),
});
const rules = list('Who may do what to which rows. None: admin only.', rule);

const comparison = object('', {
  prop: name('Property.'),
  op: oneOf('', '=', '!=', '<', '<=', '>', '>=', 'in', 'is null', 'is not null'),
  value: any('What it is compared with.'),
}, ['prop', 'op']);
const index = object('An index.', {
  on: list('One to five properties.', either('', 'a property or {prop, direction, nulls}', { type: 'string', minLength: 1 }, object('', { prop: name(''), direction: oneOf('', 'asc', 'desc'), nulls: oneOf('', 'first', 'last') }, ['prop'])), { minItems: 1, maxItems: 5 }),
  reason: name('Why it is there, for whoever wonders whether it may go.'),
  using: oneOf('Access method; default btree.', 'btree', 'gin', 'brin'),
  where: either('Only the rows for which this holds.', '{prop, op, value} or {and: [...]}', comparison, object('', { and: list('', comparison, { minItems: 1 }) }, ['and'])),
  unique: bool('No two rows agree in all of them.', false),
  include: list('Further properties that are kept in the index.', { type: 'string', minLength: 1 }),
}, ['on', 'reason']);

const searchPath = name('A string, a list of strings, a map, or a path in a map, such as attributes.material.');
const search = object('Ranked text search, by searchString.', {
  fields: list('What is searched.', either('', 'a path or {path, weight}', searchPath, object('', { path: searchPath, weight: oneOf('How much a hit counts: A most, D least; default B.', 'A', 'B', 'C', 'D') }, ['path'])), { minItems: 1 }),
  language: name('Text search configuration, which knows stop words and stems: english, german … Default simple, which knows none.', { default: 'simple', pattern: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$', 'x-expected': 'the name of a text search configuration, such as english' }),
  mode: { ...oneOf('fts: words. hybrid: also parts of words.', 'fts', 'hybrid'), default: 'fts' },
  unaccent: bool('Accents make no difference. Needs the extension unaccent.', false),
  fuzzy: bool('Also words that are alike, such as misspelt ones. Needs the extension pg_trgm.', false),
  fuzzyThreshold: number('How alike, from 0 to 1.', { minimum: 0.01, maximum: 1, default: 0.3 }),
  column: { ...name('The generated column of the words; default search_vector.'), default: 'search_vector' },
}, ['fields']);

const functionName = { pattern: '^("([^"]|"")+"|[^\\s".();]+)(\\.("([^"]|"")+"|[^\\s".();]+))?$', 'x-expected': 'the name of a function, such as app.posts_before_save' };
const callbackNames = ['beforeSave', 'afterSave', 'afterRead', 'beforeDelete', 'afterDelete'];

export const collectionSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Rowgate collection',
  ...object('One collection: a table, its properties, relations and rules.', {
    $schema: text('For editors.'),
    slug: text('Name in the URL and target of relations.', { pattern: '^[A-Za-z0-9_~-]+$', 'x-expected': 'letters, digits, _, ~ and - only' }),
    name: text('Label of the whole: "Order items".'),
    singularName: text('Label of one row: "Order item".'),
    description: text('Shown in the API document.'),
    table: name('Default: the slug in snake_case.'),
    schema: { ...name('Schema of the table.'), default: 'public' },
    properties: mapOf('The fields, by their names in the API.', property),
    relations: list('Relations without a property of their own.', relation({ relationName: name('Default: the target\'s slug.') })),
    securityRules: rules,
    disableDefaultPolicies: bool('Leave out the policies that let admin read and write everything.', false),
    indexes: list('Indexes besides those of keys and unique properties.', index),
    strictWrites: bool('false: a body may name a real column that is not declared.', true),
    exposed: bool('false: the table is managed, but has no routes, and no relation leads there.', true),
    readOnly: bool('true: the API writes nothing.', false),
    callbacks: object('SQL functions that run with every write or read.', Object.fromEntries(callbackNames.map(hook => [hook, name('Function: "schema.name".', functionName)]))),
    dataSource: text('The database; there is one.', { default: '(default)' }),
    engine: text('', { default: 'postgres' }),
    auth: later('The users table.'),
    history: later('Versions of rows.'),
    softDelete: either('A deleted row is kept, with the time of its deletion in this property; true is deletedAt.', 'true, false or {"field": …}', bool(''), object('', { field: name('A date property.') }, ['field'])),
    tenant: later('Rows belong to tenants.'),
    search,
    databaseId: any('Passed through.'),
    ownerId: any('Passed through.'),
    metadata: any('Passed through.'),
    admin: any('For panels only.'),
    childCollections: any('Of document databases: refused.'),
    subcollections: any('Of document databases: refused.'),
    path: any('Of document databases: refused.'),
  }, ['slug']),
  $defs: { property: propertySchema },
};

export const defaultsSchema: Schema = object('What holds for every collection of the directory.', {
  $schema: text('For editors.'),
  defaultSecurityRules: list('The rules of collections that have none.', rule),
});

/** The text of schemas/collection.schema.json. What is without a description says nothing there. */
export function publishedSchema(): string {
  return `${JSON.stringify(collectionSchema, (key, value: unknown) => key === 'description' && value === '' ? undefined : value, 2)}\n`;
}
