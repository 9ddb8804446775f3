import { test, type Test } from 'tap';
import { createService, storeTables, tokenFor, type TestService } from '../harness/service.ts';
import { version } from '../../gateway/version.ts';
import { everyType } from './tables.ts';
import { vocabulary } from './vocabulary.ts';

type Definition = Record<string, any> & { slug: string; properties: Record<string, any> };
type Contract = { schemaVersion: string; collections: Definition[]; collectionSlugs: string[]; generatedAt: string };

async function contractOf({ request }: Pick<TestService, 'request'>): Promise<Contract> {
  return (await request('/meta/contract')).body as Contract;
}

const served = (t: Test, files: Record<string, string>) =>
  createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(files) } });

test('the contract is for admins and the service key', async t => {
  const { request } = await createService(t, { env: { AUTH_REQUIRE: 'false' } });
  const asked = async (as?: string | null) => {
    const { status, body } = await request('/meta/contract', as === undefined ? {} : { as });
    return [status, body.error?.code];
  };
  t.same(await asked(), [200, undefined]);
  t.same(await asked(await tokenFor('root', ['admin'])), [200, undefined]);
  t.same(await asked(await tokenFor('ada', ['staff'])), [403, 'FORBIDDEN']);
  t.same(await asked(null), [401, 'UNAUTHORIZED']);
  t.same((await request('/meta/contract', { method: 'POST', body: '{}' })).status, 404);
});

test('the description names its schema and its server', async t => {
  const service = await createService(t);
  const { headers, body } = await service.request('/meta/contract');
  const { schemaVersion } = (await service.request('/meta/schema-version')).body;
  t.same(Object.keys(body).sort(),
    ['catalog', 'collectionSlugs', 'collections', 'functions', 'generatedAt', 'openSlugs', 'runtime', 'schemaVersion']);
  t.match(body, { schemaVersion, runtime: { version: version(), contract: 1 } });
  t.equal(new Date(body.generatedAt as string).toISOString(), body.generatedAt);
  t.same(body.collectionSlugs,
    ['bundles', 'categories', 'customers', 'daily_reports', 'order_items', 'orders', 'products', 'reviews', 'shipments', 'tags']);
  t.same(body.collections.map(({ slug }: Definition) => slug), body.collectionSlugs);
  t.equal(headers.get('cache-control'), 'no-store');
  const [row] = await service.sql<{ contract: object }[]>`select service.contract() as contract`;
  const { collections, collectionSlugs } = body as Contract;
  const { catalog, openSlugs, functions } = body;
  t.same(row?.contract, { schemaVersion, collections, collectionSlugs, catalog, openSlugs, functions }, 'as psql gets it');
  t.same(openSlugs, ['bundles', 'categories', 'tags'], 'everybody sees their rows');
  const served = Object.fromEntries(catalog.map((collection: Definition) => [collection.slug, collection]));
  t.match(served.orders, { key: ['id'], softDelete: null, relations: [{ name: 'customer', required: true }, {}, { required: false }] });
  t.match(served.bundles.relations,
    [{ name: 'products', pivotProperties: [{ name: 'quantity', notNull: true }, { name: 'note', notNull: false }] }]);
});

test('keys of forms, rules and callbacks are left out at any depth, and fields of these names are not', async t => {
  const { collections, collectionSlugs } = await contractOf(await served(t, vocabulary));
  const [authors, bookmarks, , , , posts] = collections;
  t.same(collectionSlugs, ['authors', 'bookmarks', 'comments', 'order-items', 'plans', 'posts', 'summaries', 'tags'],
    'without what is not served');
  t.notMatch(JSON.stringify(collections), /securityRules|disableDefaultPolicies|propertiesOrder|"icon"|"width"/);
  t.same(Object.keys(authors?.properties ?? {}), ['id', 'name', 'email', 'admin', 'callbacks', 'posts'], 'in their order');
  t.notOk(authors?.['admin']);
  t.same(authors?.['metadata'], { owner: 'press', admin: 'kept' });
  t.match(authors, {
    name: 'Authors & editors', singularName: 'Author', table: 'people', properties: { admin: { type: 'boolean', defaultValue: false } },
  });
  t.same(posts?.properties['layout'], {
    type: 'map',
    properties: {
      admin: { type: 'string' }, columns: { type: 'number', defaultValue: 2, validation: { integer: true, min: 1 } },
      deep: { type: 'map', properties: { shade: { type: 'string', enum: ['dark', 'light'] } } },
    },
  });
  t.same(Object.keys(posts?.properties['layout'].properties as object), ['admin', 'columns', 'deep']);
  t.same(posts?.properties['places'].of.properties.name, { type: 'string', validation: { required: true } });
  t.match(posts?.properties, {
    title: { validation: { matches: '^\\S' } }, topics: { defaultValue: [] }, secret: { excludeFromApi: true },
    unread: { access: { read: [] } },
  });
  t.match(bookmarks?.properties['post'], { relation: { target: { __collectionRef: 'posts' } } });
  t.match(posts?.properties['author'], { relation: { target: { __collectionRef: 'authors' } } });
  t.match(posts?.['relations'], [{ kind: 'hasMany', target: { __collectionRef: 'comments' }, relationName: 'remarks' }]);
  t.same(posts?.properties['tags'].relation.through.properties,
    { weight: { type: 'number', columnType: 'smallint', defaultValue: 1 }, admin: { type: 'string' } });
  t.notOk(bookmarks?.properties['draft'], 'a relation to what is not served');
  t.match(posts, { history: true, softDelete: true, search: { language: 'english' }, name: 'Posts', table: 'blog_posts' });
});

test('collections of the contract, put into files, are the same collections', async t => {
  const isServed = ([, text]: [string, string]) => !text.includes('drafts');
  const first = await contractOf(await served(t, Object.fromEntries(Object.entries(vocabulary).filter(isServed))));
  const again = await contractOf(await served(t,
    Object.fromEntries(first.collections.map(definition => [`${definition.slug}.json`, JSON.stringify(definition)]))));
  t.same(again.collections, first.collections);
  t.equal(again.schemaVersion, first.schemaVersion);
});

test('a table without a file is shown as the file that would describe it', async t => {
  const { collections } = await contractOf(await createService(t, { setup: everyType, env: storeTables }));
  const of = (slug: string) => collections.find(definition => definition.slug === slug);
  const products = of('products');
  t.same(Object.keys(products?.properties ?? {}).slice(0, 5), ['id', 'category', 'sku', 'name', 'description']);
  t.same(products?.properties['category'],
    { type: 'relation', relation: { kind: 'belongsTo', target: { __collectionRef: 'categories' }, localKey: 'category_id' } });
  t.same(products?.properties['sku'], { type: 'string', columnName: 'sku', columnType: 'varchar', validation: { max: 12 } });
  t.same(products?.properties['materials'].of, { type: 'string' });
  t.match(products?.properties['searchVector'], { excludeFromApi: true });
  t.same(products?.properties['reviews'].relation,
    { kind: 'hasMany', target: { __collectionRef: 'reviews' }, foreignKeyOnTarget: 'product_id', sourceKey: 'id' });
  t.same(products?.properties['tags'].relation.through, { table: 'product_tags', sourceColumn: 'product_id', targetColumn: 'tag_id' });
  t.match(of('orders')?.properties['status'], { type: 'string', enum: ['pending', 'paid', 'packed', 'shipped', 'delivered', 'cancelled'] });
  t.match(of('pairs'), {
    name: 'Pairs', description: 'Two of a kind.', table: 'pairs', schema: 'public',
    properties: { left: { isId: 'increment' }, right: { isId: true } },
  });
  t.match(of('calm_types'), { readOnly: true });
  t.match(of('every_type')?.properties, {
    id: { isId: 'uuid' }, computed: { access: { write: [] } }, aDate: { mode: 'date' }, moods: { of: { type: 'string' } },
    jsons: { of: { type: 'map' } }, aChar: { columnType: 'char', validation: { max: 3 } },
  });
  t.notOk(of('pairs')?.['indexes'] ?? of('pairs')?.['securityRules']);
});

test('it follows the tables', async t => {
  const service = await createService(t, { template: 'served', setup: everyType });
  const first = await contractOf(service);
  t.equal((await contractOf(service)).generatedAt, first.generatedAt, 'read once');
  await service.sql`comment on table pairs is 'Three of a kind.'`;
  await service.database.catalog.refresh();
  const { collections } = await contractOf(service);
  t.match(collections.find(({ slug }) => slug === 'pairs'), { description: 'Three of a kind.' });
});
