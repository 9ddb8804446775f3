import t, { test } from 'tap';
import { openLoader, relations, users } from './loaded.ts';

const { load, properties } = await openLoader(t);

test('a belongsTo has a column of the type of what it leads to', async t => {
  const rows = await properties(t, {
    id: { type: 'number', isId: 'increment' },
    author: {
      type: 'relation', name: 'Writer', relation: { kind: 'belongsTo', target: { __collectionRef: 'users' } },
      validation: { required: true, unique: true }, access: { read: ['hr'] },
    },
    code: { type: 'relation', columnName: 'the_code', relation: { kind: 'belongsTo', target: 'codes' } },
    ref: { type: 'reference', path: 'users', onDelete: 'cascade' }, loose: { type: 'reference', path: 'elsewhere' },
    ownerId: { type: 'string', columnType: 'uuid' }, owner: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
  }, { users, codes: { properties: { code: { type: 'string', columnType: 'varchar', isId: 'manual', validation: { max: 8 } } } } });
  t.match(rows['authorId'], {
    column_name: 'author_id', type: 'string', sql_type: 'uuid', not_null: true, required: true, read_roles: ['hr'], position: 2,
    attributes: { label: 'Writer', column: { type: 'uuid', unique: true, default: null } },
  });
  t.match(rows['theCode'],
    { column_name: 'the_code', sql_type: 'character varying', attributes: { column: { type: 'character varying(8)' } } });
  t.match(rows['refId'], { sql_type: 'uuid' });
  t.match(rows['looseId'], { column_name: 'loose_id', sql_type: 'text' });
  t.same(Object.keys(rows), ['id', 'authorId', 'theCode', 'refId', 'looseId', 'ownerId']);
});

test('belongsTo says what becomes of its row, and its other side leads back', async t => {
  const found = relations(await load(t, {
    users: { properties: {
      ...users.properties, posts: { type: 'relation', relation: { kind: 'hasMany', target: 'posts', foreignKeyOnTarget: 'author_id' } },
      profile: { type: 'relation', relation: { kind: 'hasOne', target: 'profiles' } },
    } },
    posts: { properties: {
      id: { type: 'number', isId: 'increment' }, author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
      editor: { type: 'relation', relation: { kind: 'belongsTo', target: 'users', onDelete: 'cascade' }, validation: { required: true } },
    } },
    profiles: { properties: { user: { type: 'relation', isId: true, relation: { kind: 'belongsTo', target: 'users' } } } },
  }));
  t.match(found['posts.author'], {
    kind: 'belongsTo', target: 'users', local_columns: ['author_id'], target_columns: ['id'], on_delete: 'set null', junction_table: null,
  });
  t.match(found['posts.editor'], { on_delete: 'cascade' });
  t.match(found['users.posts'], { kind: 'hasMany', target: 'posts', local_columns: ['id'], target_columns: ['author_id'] });
  t.match(found['users.profile'], { kind: 'hasOne', target: 'profiles', local_columns: ['id'], target_columns: ['user_id'] });
  t.match(found['profiles.user'], { on_delete: 'restrict' });
});

test('onUpdate says what follows a changed key, on the side of the foreign key or on the other', async t => {
  const relation = (kind: string, target: string, more: object = {}) => ({ type: 'relation', relation: { kind, target, ...more } });
  const found = relations(await load(t, {
    users: { properties: { ...users.properties, posts: relation('hasMany', 'posts',
      { foreignKeyOnTarget: 'author_id', onUpdate: 'cascade' }), letters: relation('hasMany', 'letters', { onUpdate: 'set null' }) } },
    posts: { properties: {
      author: relation('belongsTo', 'users'), editor: relation('belongsTo', 'users', { onUpdate: 'no action' }),
      other: relation('belongsTo', 'users'), ref: { type: 'reference', path: 'users', onUpdate: 'restrict' },
      tags: relation('manyToMany', 'tags'),
    } },
    tags: { properties: { posts: relation('manyToMany', 'posts', { onUpdate: 'cascade' }) } }, letters: {},
  }));
  t.same(Object.entries(found).map(([name, { on_update: onUpdate }]) => `${name} ${onUpdate}`).sort(), [
    'letters.user set null', 'posts.author cascade', 'posts.editor no action', 'posts.other null', 'posts.ref restrict',
    'posts.tags cascade', 'tags.posts cascade', 'users.letters null', 'users.posts null',
  ]);
});

test('a hasMany or hasOne whose target declares no way back makes one', async t => {
  const loaded = await load(t, {
    addresses: { properties: { ...users.properties, code: { type: 'string', validation: { unique: true } } }, relations: [
      { kind: 'hasMany', target: 'letters', onDelete: 'cascade' }, { relationName: 'key', kind: 'hasOne', target: 'keys' },
      { relationName: 'coded', kind: 'hasMany', target: 'letters', sourceKey: 'code', foreignKeyOnTarget: 'address_code' },
    ] },
    letters: {}, keys: {},
  });
  t.match(relations(loaded), {
    'addresses.letters': { target_columns: ['address_id'] },
    'letters.address': { kind: 'belongsTo', local_columns: ['address_id'], on_delete: 'cascade' },
    'keys.address': { kind: 'belongsTo', local_columns: ['address_id'] },
    'addresses.coded': { local_columns: ['code'], target_columns: ['address_code'] },
    'letters.addressCode': { local_columns: ['address_code'], target_columns: ['code'] },
  });
  const column = (collection: string, name: string) =>
    loaded.rows.properties.find(row => row.collection === collection && row.name === name);
  t.match(column('letters', 'addressId'), { sql_type: 'uuid', not_null: false, attributes: { column: { unique: false } } });
  t.match(column('keys', 'addressId'), { attributes: { column: { unique: true } } });
  t.match(column('letters', 'addressCode'), { sql_type: 'text' });
});

test('a manyToMany has one junction, whichever side declares it', async t => {
  const found = relations(await load(t, {
    posts: { properties: {
      ...users.properties,
      tags: { type: 'relation', relation: {
        kind: 'manyToMany', target: 'tags',
        through: { properties: { sortOrder: { type: 'number', validation: { integer: true, required: true } } } },
      } },
      friends: { type: 'relation', relation: { kind: 'manyToMany', target: 'posts', onDelete: 'restrict' } },
    } },
    tags: { properties: {
      id: { type: 'number', isId: 'increment' }, posts: { type: 'relation', relation: { kind: 'manyToMany', target: 'posts' } },
    } },
  }));
  t.match(found['posts.tags'], {
    local_columns: ['id'], target_columns: ['id'], junction_schema: 'public', junction_table: 'posts_tags', junction_source: ['post_id'],
    junction_target: ['tag_id'], on_delete: 'cascade',
    pivot: [{
      name: 'sortOrder', columnName: 'sort_order', type: 'number', sqlType: 'integer', notNull: true, required: true,
      attributes: { column: { type: 'integer' } },
    }],
  });
  t.match(found['tags.posts'], { junction_table: 'posts_tags', junction_source: ['tag_id'], junction_target: ['post_id'], pivot: null });
  t.match(found['posts.friends'],
    { junction_table: 'posts_posts', junction_source: ['post_id'], junction_target: ['friend_id'], on_delete: 'restrict' });
});

test('a relation property may stand for an entry of relations', async t => {
  const found = relations(await load(t, { users, posts: {
    properties: { writer: { type: 'relation', relationName: 'author' } },
    relations: [{ relationName: 'author', kind: 'belongsTo', target: 'users', localKey: 'author_id' }],
  } }));
  t.same(Object.keys(found), ['posts.writer']);
  t.match(found['posts.writer'], { local_columns: ['author_id'] });
});
