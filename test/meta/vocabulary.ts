/** Collection files that together use the words of collection files: every type, kind of relation and attribute that the service has. */
const everyone = [{ operation: 'all', access: 'public' }];
const increment = { type: 'number', isId: 'increment' };

const authors = {
  slug: 'authors', name: 'Authors & editors', singularName: 'Author', description: 'Who writes.\nAnd who "edits".', schema: 'public',
  table: 'people', admin: { icon: 'person' }, metadata: { owner: 'press', admin: 'kept' }, securityRules: everyone,
  properties: {
    id: { type: 'string', isId: 'uuid' },
    name: {
      type: 'string', name: 'Full name', columnType: 'varchar', admin: { width: 3 }, validation: { required: true, max: 80, trim: true },
    },
    email: { type: 'string', email: true, access: { read: ['editor'], write: ['editor'] }, validation: { lowercase: true } },
    admin: { type: 'boolean', defaultValue: false, description: 'A field of this name.' },
    callbacks: { type: 'map', keyValue: true },
    posts: { type: 'relation', relation: { kind: 'hasMany', target: 'posts', foreignKeyOnTarget: 'author_id' } },
  },
};

const posts = {
  slug: 'posts', table: 'blog_posts', history: true, softDelete: true, strictWrites: true, description: 'What is written.',
  properties: {
    id: increment,
    title: { type: 'string', validation: { required: true, min: 2, max: 200, matches: '^\\S', matchesMessage: 'no space in front' } },
    code: { type: 'string', columnType: 'char', validation: { length: 3, uppercase: true } },
    token: { type: 'string', columnType: 'uuid' },
    state: {
      type: 'string', enum: [{ id: 'draft', label: 'Draft', color: 'gray' }, 'live'], defaultValue: 'draft', validation: { required: true },
    },
    level: { type: 'number', enum: [1, 2, 3] },
    kind: { type: 'enum', enum: { long: 'Long read', short: 'Note' } },
    link: { type: 'string', url: true },
    writer: { type: 'string', autoValue: 'user_on_create' },
    price: { type: 'number', columnType: 'numeric', precision: 10, scale: 2, validation: { min: 0, lessThan: 1000 } },
    views: { type: 'number', columnType: 'bigint', defaultValue: 0, validation: { required: true, integer: true } },
    share: { type: 'number', columnType: 'double precision', validation: { positive: true } },
    pinned: { type: 'boolean', defaultValue: false, validation: { required: true } },
    day: { type: 'date', mode: 'date', validation: { min: '2020-01-01', max: '2099-12-31' } },
    at: { type: 'date', columnType: 'timestamp', timezone: false },
    hour: { type: 'date', columnType: 'time' },
    topics: {
      type: 'array', of: { type: 'string', validation: { min: 2 } }, defaultValue: [],
      validation: { required: true, max: 5, uniqueInArray: true },
    },
    scores: { type: 'array', of: { type: 'number' } },
    places: { type: 'array', of: {
      type: 'map', properties: { name: { type: 'string', admin: { width: 1 }, validation: { required: true } }, at: { type: 'geopoint' } },
    } },
    layout: {
      type: 'map', admin: {}, properties: {
        admin: { type: 'string' },
        columns: { type: 'number', defaultValue: 2, admin: {}, validation: { integer: true, min: 1 } },
        deep: { type: 'map', properties: { shade: { type: 'string', enum: ['dark', 'light'] } } },
      },
    },
    blocks: { type: 'array', oneOf: { properties: {
      text: { type: 'string', admin: {}, validation: { required: true } },
      shop: { type: 'map', properties: { admin: { type: 'string' }, margin: { type: 'number', access: { read: ['editor'] } } } },
    } } },
    review: { type: 'map', properties: {
      grade: { type: 'number', access: { read: ['editor'], write: ['editor'] } }, source: { type: 'string', excludeFromApi: true },
      said: { type: 'string', access: { write: [] } },
    } },
    spot: { type: 'geopoint' },
    image: { type: 'binary' },
    secret: { type: 'string', excludeFromApi: true },
    sealed: { type: 'string', access: { write: [] } },
    unread: { type: 'string', access: { read: [] } },
    author: {
      type: 'relation', description: 'Who wrote it.',
      relation: { kind: 'belongsTo', target: { __collectionRef: 'authors' }, onDelete: 'cascade' }, validation: { required: true },
    },
    editor: { type: 'reference', path: 'authors' },
    tags: {
      type: 'relation',
      relation: {
        kind: 'manyToMany', target: 'tags',
        through: {
          table: 'post_tags', sourceColumn: 'post_id', targetColumn: 'tag_id',
          properties: { weight: { type: 'number', admin: {}, columnType: 'smallint', defaultValue: 1 }, admin: { type: 'string' } },
        },
      },
    },
    summary: { type: 'relation', relation: { kind: 'hasOne', target: 'summaries' } },
    audience: {
      type: 'relation',
      relation: {
        kind: 'via', target: 'authors', cardinality: 'many',
        joinPath: [{ table: 'comments', on: { from: 'id', to: 'post_id' } }, { table: 'people', on: { from: 'author_id', to: 'id' } }],
      },
    },
    createdAt: { type: 'date', autoValue: 'on_create' },
    updatedAt: { type: 'timestamp', autoValue: 'on_update' },
    deletedAt: { type: 'date' },
  },
  relations: [{ kind: 'hasMany', target: 'comments', relationName: 'remarks' }],
  indexes: [
    { on: ['state', { prop: 'createdAt', direction: 'desc' }], reason: 'the front page', where: { prop: 'pinned', op: '=', value: true } },
  ],
  search: { language: 'english', fields: [{ path: 'title', weight: 'A' }, 'topics'] },
  securityRules: everyone,
};

const others = [
  {
    slug: 'tags', properties: { id: increment, name: { type: 'string', validation: { required: true, unique: true } } },
    securityRules: everyone, disableDefaultPolicies: true,
  },
  {
    slug: 'comments', singularName: 'Remark', securityRules: everyone,
    properties: {
      id: { type: 'string', isId: 'gen_random_uuid()::text' }, text: { type: 'text', validation: { required: true } },
      post: { type: 'relation', relation: { kind: 'belongsTo', target: 'posts' } },
      author: { type: 'relation', relation: { kind: 'belongsTo', target: 'authors' } },
    },
  },
  { slug: 'bookmarks', properties: {
    id: increment, post: { type: 'relation', relation: { kind: 'belongsTo', target: 'posts' } },
    draft: { type: 'relation', relation: { kind: 'belongsTo', target: 'drafts' } },
  }, securityRules: everyone },
  {
    slug: 'summaries', properties: { id: { type: 'string', isId: 'manual' }, text: { type: 'string', columnName: 'body' } },
    securityRules: everyone,
  },
  {
    slug: 'plans', tenant: { field: 'org', from: { claim: 'org_id' } },
    properties: { id: increment, org: { type: 'string' }, text: { type: 'string' } }, securityRules: everyone,
  },
  { slug: 'order-items', readOnly: true, properties: { id: increment, 'unit-price': { type: 'number' } }, securityRules: everyone },
  { slug: 'drafts', exposed: false, properties: { id: increment }, securityRules: everyone },
];

/** By file name. */
export const vocabulary: Readonly<Record<string, string>> = Object.fromEntries(
  [authors, posts, ...others].map(definition => [`${definition.slug}.json`, JSON.stringify(definition)]));
