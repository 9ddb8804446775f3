/** A small project that has an operation of every kind: rows, bulk writes, relations of one and of many, history. By file name. */
const definitions = [
  {
    slug: 'authors',
    properties: {
      id: { type: 'number', isId: 'increment' },
      name: { type: 'string', validation: { required: true, unique: true, max: 80 } },
      books: { type: 'relation', relation: { kind: 'hasMany', target: 'books', foreignKeyOnTarget: 'author_id' } },
    },
  },
  {
    slug: 'books', history: true,
    properties: {
      id: { type: 'string', isId: 'uuid' },
      title: { type: 'string', validation: { required: true } },
      state: { type: 'string', enum: ['draft', 'printed'], defaultValue: 'draft', validation: { required: true } },
      price: { type: 'number', precision: 8, scale: 2, validation: { min: 0 } },
      size: { type: 'map', properties: { pages: { type: 'number', validation: { integer: true } } } },
      topics: { type: 'array', of: { type: 'string' } },
      author: { type: 'relation', relation: { kind: 'belongsTo', target: 'authors' }, validation: { required: true } },
      tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags', through: { properties: { weight: { type: 'number' } } } } },
    },
  },
  { slug: 'tags', properties: { id: { type: 'string', isId: 'manual' }, color: { type: 'string', validation: { required: true } } } },
];
const securityRules = [{ operation: 'select', access: 'public' }, { roles: ['librarian'] }];

export const library: Readonly<Record<string, string>> = Object.fromEntries(
  definitions.map(definition => [`${definition.slug}.json`, JSON.stringify({ ...definition, securityRules })]));
