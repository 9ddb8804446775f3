import { test } from 'tap';
import { catalogOf, collectionOf, idProperty, propertyOf, relationTo } from './catalog.ts';
import { documentOf, operationAt, operations, parameter } from './document.ts';

/** The stems in the order of the slugs. */
async function stemsOf(t: Parameters<typeof documentOf>[0], ...collections: ReturnType<typeof collectionOf>[]): Promise<string[]> {
  const { components } = await documentOf(t, catalogOf(...collections));
  const names = Object.keys(components.schemas).filter(name => name !== 'ErrorResponse' && name !== 'PaginationMeta');
  const stems = names.filter((_, i) => i % 3 === 0);
  t.same(names, stems.flatMap(stem => [stem, `${stem}Input`, `${stem}Update`]));
  return stems;
}

test('a stem is the singular name in Pascal case, else the name, else the slug', async t => {
  t.same(await stemsOf(t, collectionOf('order_items', { name: 'Order items', singularName: 'Order item' })), ['OrderItem']);
  t.same(await stemsOf(t, collectionOf('a', { name: 'HTTP-logs 2', singularName: '日本' })), ['HttpLogs2']);
  t.same(await stemsOf(t, collectionOf('some_slug', { name: '', singularName: '' })), ['SomeSlug']);
  t.same(await stemsOf(t, collectionOf('日本', { name: '日本', singularName: '日本' }), collectionOf('本', { singularName: '本', name: '本' })),
    ['Collection', 'Collection2']);
});

test('the first of two collections with one stem keeps it and the other adds its slug', async t => {
  const item = { singularName: 'Item', name: 'Items' };
  t.same(await stemsOf(t, collectionOf('b_items', item), collectionOf('a_items', item)), ['Item', 'ItemBItems']);
  t.same(await stemsOf(t, collectionOf('a-b', item), collectionOf('a_b', item), collectionOf('a b', item)), ['Item', 'ItemAB', 'ItemAB2']);
});

test('no collection takes a name of another: not its input, not the name of its bulk operation, not a fixed one', async t => {
  t.same(await stemsOf(t, collectionOf('a', { singularName: 'Foo' }), collectionOf('b', { singularName: 'Foo input' })),
    ['Foo', 'FooInputB']);
  t.same(await stemsOf(t, collectionOf('a', { singularName: 'Foo' }), collectionOf('b', { singularName: 'Many foo' })),
    ['Foo', 'ManyFooB']);
  t.same(await stemsOf(t, collectionOf('a', { singularName: 'Error response' }), collectionOf('b', { singularName: 'Pagination meta' })),
    ['ErrorResponseA', 'PaginationMetaB']);
});

test('a nested read never takes the operation of a collection, nor of another nested read', async t => {
  const document = await documentOf(t, catalogOf(
    collectionOf('artist',
      { relations: [relationTo('album', 'hasMany'), relationTo('album', 'hasMany', 'ALBUM'), relationTo('album', 'manyToMany', '日本')] }),
    collectionOf('album'),
    collectionOf('artist_album'),
  ));
  t.equal(operationAt(document, '/data/artist_album').operationId, 'listArtistAlbum');
  t.equal(operationAt(document, '/data/artist/{parentId}/album').operationId, 'listArtistAlbumAlbum');
  t.equal(operationAt(document, '/data/artist/{parentId}/ALBUM').operationId, 'listArtistAlbumAlbum2');
  t.equal(operationAt(document, '/data/artist/{parentId}/ALBUM/{id}').operationId, 'getArtistAlbumAlbum2ById',
    'all of a relation have one stem');
  t.equal(operationAt(document, `/data/artist/{parentId}/${encodeURIComponent('日本')}`).operationId, 'listArtistRelation');
});

test('tags of one name are distinguished by the slug', async t => {
  const document = await documentOf(t, catalogOf(collectionOf('a', { name: 'Items' }), collectionOf('b', { name: 'Items' }),
    collectionOf('c', { name: 'Across collections' })));
  t.same(document.tags.map(({ name }) => name), ['Items', 'Items (b)', 'Across collections (c)', 'Across collections']);
  t.same(operationAt(document, '/data/b').tags, ['Items (b)']);
});

// Not $ref: the validator takes every key of that name for a reference, even where it is the name of a property.
const awkward = [
  'größe', '日本語', 'a b', "it's", '"quoted"', 'a/b', 'a\\b', 'a%b', 'a?b#c', '{id}', '~0~1', '<script>', '-', '1st', 'emoji 🎉',
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'x'.repeat(63), 'ü'.repeat(31),
];

test('any name that PostgreSQL takes can be a slug, a property and a relation', async t => {
  const collections = awkward.map(slug => collectionOf(slug, {
    properties: [idProperty, ...awkward.map(name => propertyOf(name))],
    relations: awkward.map(name => relationTo(slug, 'hasMany', name)),
  }));
  const document = await documentOf(t, catalogOf(...collections));
  t.equal(operations(document).length, awkward.length * (10 + 7 * awkward.length) + 2);
  for (const name of awkward) {
    const encoded = encodeURIComponent(name);
    const list = operationAt(document, `/data/${encoded}`);
    t.ok(parameter(list, name), `filters by ${name}`);
    t.ok(operationAt(document, `/data/${encoded}/{parentId}/${encoded}`));
    const schema = document.components.schemas[list.operationId.slice('list'.length)];
    t.ok(schema && Object.hasOwn(schema.properties, name), `shows ${name}`);
  }
});

test('a property called __proto__ is one like any other, also as the key', async t => {
  const document = await documentOf(t,
    catalogOf(collectionOf('thing', { key: ['__proto__'], properties: [propertyOf('__proto__', { sqlType: 'uuid' })] })));
  t.same(document.components.schemas['Thing']?.required, ['__proto__']);
  t.same(parameter(operationAt(document, '/data/thing/{id}'), 'id', 'path')?.schema, { type: 'string', format: 'uuid' });
});
