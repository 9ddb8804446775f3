import {
  any, bool, either, list, mapOf, name, object, oneOf, roles, text, whole, type Keys, type Schema,
} from '../../json/json-schema.ts';
import { property } from './property.ts';
import { foreignKeyActions, relation } from './relations.ts';
import { validation, validations } from './validations.ts';

const access = object('Roles that may read and write this field. No list: as the row rules say. Empty: no role.', {
  read: roles('Roles that may read it; admin always may.'),
  write: roles('Roles that may write it; admin always may.'),
});

const everyProperty: Keys = {
  name: text('Label.'),
  description: text('Shown in the API document.'),
  columnName: name('Column; default: the key in snake_case.'),
  defaultValue: any('Becomes the column\'s DEFAULT; of a part of a map, what a create without it stores.'),
  access,
  excludeFromApi: bool('Never read and never written through the API.', false),
  metadata: any('Passed through.'),
  conditions: any('For forms only; the service does not enforce it.'),
  dynamicProps: any('For forms only; the service does not enforce it.'),
  propertyConfig: any('For forms only.'),
  admin: any('For forms only.'),
  callbacks: any('A row has callbacks, a property has none: boot refuses them here.'),
};

const isId = either(
  'The primary key: uuid and increment are made by the database; true and manual come from the caller; '
  + 'any other text is a SQL default expression.',
  'true, false, "uuid", "increment", "manual" or a SQL expression',
  { type: 'boolean' },
  { type: 'string', minLength: 1, examples: ['uuid', 'increment', 'manual'] },
);

const enumId: Schema = { type: ['string', 'number'] };
const labelled: Schema = {
  type: 'object',
  required: ['id'],
  properties: { id: enumId, label: { type: 'string' }, disabled: { type: 'boolean' }, color: {} },
};
const enumeration = either(
  'The values that are allowed, in order: ids, {id, label} objects, or an object of id to label. '
  + 'Of a string it becomes a native enum type.',
  'a list of ids or {id, label} objects, or an object of id to label',
  list('', { anyOf: [enumId, labelled] }),
  { type: 'object' },
);

const distances: Schema = { enum: ['cosine', 'l2', 'inner_product'] };
const vectorIndex = either(
  'false: no index; omitted: HNSW over cosine distance. Never built over 2000 dimensions.',
  'false or an object such as {"method": "hnsw"}',
  { const: false },
  object('', {
    method: oneOf('', 'hnsw', 'ivfflat'),
    distance: { anyOf: [distances, { type: 'array', minItems: 1, uniqueItems: true, items: distances }] },
    m: whole('HNSW: connections a layer.', 2, 100),
    efConstruction: whole('HNSW: candidates while building.', 4, 1000),
    lists: whole('IVFFlat: number of lists.', 1, 32_768),
  }),
);

const storage = object('The value is the key of a file in storage, and these are the limits of uploads that are for it.', {
  storagePath: name('The folder of its files; {propertyKey}, {entityId}, {rand}, {path}, {file}, {file.name}, {file.ext} and {file.type} '
    + 'are filled in by clients. Uploads below the path have to fit these limits.', { examples: ['posts/{entityId}/cover'] }),
  acceptedFiles: list('Which files it takes, by type or by ending; all by default.', text('', {
    pattern: '^(\\*|\\*/\\*|[^\\s/*;.][^\\s/*;]*/([^\\s/*;]+|\\*)|\\.[^\\s/*]+)$',
    'x-expected': 'a type such as image/png or image/*, an ending such as .pdf, or *',
  }), { examples: [['image/*', '.pdf']] }),
  maxSize: whole('Bytes of the largest file that it takes.', 1, Number.MAX_SAFE_INTEGER),
  public: bool('Its files lie under public/, where everybody may read them.', false),
  storageId: name('The source that holds them; the default one unless named.'),
  bucket: text('The bucket of that source.', {
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
    'x-expected': 'the name of a bucket, of at most 63 letters, digits, dots, underscores and hyphens',
  }),
  storeUrl: bool('The value is the storageUrl that an upload is answered with, instead of the key.', false),
  cleanup: bool('A file that no row names any more is deleted.', false),
});

type PropertyType = { type: string; aliases?: string[]; keys: Keys; required?: string[] };

/** The keys of each type besides those of every type, with its other names. */
const propertyTypes: PropertyType[] = [
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
      storage,
      validation: validations.string,
    },
  },
  {
    type: 'number',
    keys: {
      columnType: oneOf(
        'Column type; default integer for whole numbers, else numeric.',
        'integer', 'smallint', 'bigint', 'serial', 'bigserial', 'real', 'double precision', 'numeric',
      ),
      precision: whole('Digits of a numeric in all.', 1, 1000),
      scale: whole('Digits of a numeric after the point.', 0, 1000),
      isId, enum: enumeration,
      validation: validations.number,
    },
  },
  { type: 'boolean', keys: { validation: validation() } },
  {
    type: 'date',
    aliases: ['timestamp'],
    keys: {
      mode: oneOf('date: a calendar day.', 'date', 'date_time'),
      columnType: oneOf('Column type; default timestamptz(3), or date with mode date.', 'timestamp', 'date', 'time'),
      timezone: either(
        'false: a timestamp without time zone. A text is for display only.',
        'true, false or a time zone for display',
        { type: 'boolean' },
        { type: 'string' },
      ),
      autoValue: oneOf('Stamped by the database.', 'on_create', 'on_update'),
      validation: validations.date,
    },
  },
  {
    type: 'array',
    keys: {
      of: property,
      columnType: oneOf(
        'Column type; default a native array for strings, numbers and booleans, else jsonb.',
        'json', 'jsonb', 'text[]', 'integer[]', 'numeric[]', 'boolean[]',
      ),
      oneOf: object('Blocks of several types: each element is an object with its type and its value.', {
        properties: mapOf('What a value is, by the type of its block.', property, {
          minProperties: 1, 'x-expected': 'an object with a type at least',
        }),
        typeField: { ...name('The key of a block\'s type.'), default: 'type' },
        valueField: { ...name('The key of its value.'), default: 'value' },
      }, ['properties']),
      validation: validations.array,
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
  {
    type: 'vector',
    keys: { dimensions: whole('Number of components.', 1, 16_000), index: vectorIndex, validation: validation() },
    required: ['dimensions'],
  },
  { type: 'binary', keys: { validation: validation() } },
  {
    type: 'relation',
    keys: {
      relation: relation({}),
      relationName: name('The entry of relations that this stands for, when there is no relation here.'),
      isId, validation: validation(),
    },
  },
  {
    type: 'reference',
    keys: { path: name('Slug of the other collection.'), isId, ...foreignKeyActions, validation: validation() },
    required: ['path'],
  },
];

/** Which keys each type of property has, its aliases under their own names. */
export const propertyKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map(propertyTypes.flatMap(({ type, aliases = [], keys }) =>
  [type, ...aliases].map(known => [known, new Set(['type', ...Object.keys(everyProperty), ...Object.keys(keys)])])));

/** Which rules each type of property has. */
export const validationKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map(propertyTypes.map(({ type }) =>
  [type, new Set(Object.keys(rulesOf(type)['properties'] as Keys))]));

function rulesOf(type: string): Schema {
  return (validations as Partial<Record<string, Schema>>)[type] ?? validation();
}

export const propertySchema: Schema = {
  type: 'object',
  description: 'A property: usually a column.',
  discriminator: { propertyName: 'type' },
  oneOf: propertyTypes.map(({ type, aliases = [], keys, required = [] }) => object(`A property of type ${type}.`, {
    type: aliases.length === 0 ? { const: type } : { enum: [type, ...aliases] },
    ...everyProperty,
    ...keys,
  }, ['type', ...required])),
};
