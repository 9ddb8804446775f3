import { test } from 'tap';
import { some } from '../harness/effort.ts';
import { lendService } from '../harness/lend.ts';
import { storeTables, type TestService } from '../harness/service.ts';
import { resolved, sample, violations, type Row, type Schema } from './answers.ts';
import { checked, operationAt, type Operation } from './document.ts';
import { everyType, vectors } from './tables.ts';

type Page = { data: Row[] };

test('the document of a real database agrees with the answers of its routes', async t => {
  const service = await lendService(t, { setup: everyType, env: storeTables });
  const answer = await service.request('/docs', { as: null });
  const document = await checked(t, answer.text);
  t.equal(answer.status, 200);
  for (const [path, { get }] of some(Object.entries(document.paths))) {
    if (get === undefined) continue;
    const { status, text } = await service.request(`${await filled(path, service)}?${requiredQuery(get)}`);
    t.equal(status, 200, `${path} answers`, { text });
    t.same(violations(JSON.parse(text), answerSchema(get), document), [], `${path} answers as its schema says`);
  }
  t.ok(document.paths['/data/products/{parentId}/tags/{id}'], 'with its nested rows');
});

test('rows with their relations are what the document says', async t => {
  const service = await lendService(t);
  const document = await checked(t, (await service.request('/docs')).text);
  for (const { slug, relations } of service.database.catalog.current.document.collections) {
    for (const { name } of relations) {
      const { status, text } = await service.request(`/data/${slug}?limit=3&include=${name}`);
      t.equal(status, 200);
      t.same(violations(JSON.parse(text), answerSchema(operationAt(document, `/data/${slug}`)), document), [], `${slug} with ${name}`);
    }
  }
});

test('every documented parameter of a read is taken', async t => {
  const service = await lendService(t, { setup: everyType, env: storeTables });
  const document = await checked(t, (await service.request('/docs')).text);
  for (const path of [
    '/data/every_type', '/data/every_type/count', '/data/every_type/aggregate', '/data/products/{parentId}/reviews',
    '/data/products/{parentId}/reviews/aggregate', '/data/products/{parentId}/reviews/{id}',
  ]) {
    const target = await filled(path, service);
    const operation = operationAt(document, path);
    for (const { name, in: place } of operation.parameters.filter(({ in: place, name }) => place !== 'path' && name !== 'after')) {
      const value = samples[name] ?? 'notnull.null';
      const needs = /^(limit|offset|orderBy)$/.test(name) && path.endsWith('/aggregate') ? '&groupBy=id' : '';
      const { status, text } = await service.request(`${target}?${requiredQuery(operation)}${needs}${place === 'query'
        ? `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`
        : ''}`, place === 'header' ? { headers: { [name]: value } } : {});
      t.equal(status, 200, `${path} takes ${name}`, { text });
    }
  }
});

test('the include parameter says which rows carry what their link says', async t => {
  const service = await lendService(t);
  const document = await checked(t, (await service.request('/docs')).text);
  const described = (path: string) => operationAt(document, path).parameters.find(({ name }) => name === 'include')?.description ?? '';
  t.match(described('/data/bundles'), /Included rows of products carry `_pivot`, what the link says: quantity, note\.$/);
  t.notMatch(described('/data/products'), /_pivot/);
  const { products } = (await service.request('/data/bundles/1?include=products')).body;
  t.same(Object.keys(products[0]._pivot), ['quantity', 'note']);
});

test('list parameters do what their descriptions say', async t => {
  const { request } = await lendService(t);
  const get = async (path: string, headers = {}) => (await request(`/data/${path}`, { headers })).body;
  t.same((await get('tags?distinct=true&fields=color&limit=1')).data.map(Object.keys), [['color']]);
  t.notOk('total' in (await get('tags?limit=1', { prefer: 'count=none' })).meta);
  t.same((await get('tags?deleted=only')).data, []);
  t.same(await get('tags/count?deleted=include'), await get('tags/count'));
  const [group] = (await get(
    'products/aggregate?select=count(),sum(stock),avg(price),max(name)&groupBy=origin&orderBy=count:desc&limit=1&offset=1',
  )).data;
  t.same(Object.keys(group), ['origin', 'count', 'sum_stock', 'avg_price', 'max_name']);
  t.equal((await request('/data/products/aggregate?select=count()&limit=1')).status, 400, 'there is nothing to page without groups');
});

test('rows of a vector search are as the document says', async t => {
  const service = await lendService(t, { template: 'served', setup: vectors });
  const document = await checked(t, (await service.request('/docs')).text);
  if (!document.paths['/data/doc']) return t.comment('this server has no pgvector');
  const query = `vector_search=near&vector=${encodeURIComponent('[1,0]')}`;
  const list = await service.request(`/data/doc?${query}&vector_distance=l2`);
  t.same(violations(list.body, answerSchema(operationAt(document, '/data/doc')), document), []);
  t.same(list.body.data.map(({ _distance }: Row) => typeof _distance), ['number', 'number', 'object']);
  t.notOk('nextCursor' in list.body.meta);
  t.same((await service.request(`/data/doc/count?${query}&vector_threshold=0.5`)).body, { count: 1 });
  t.same((await service.request(`/data/doc/aggregate?select=count()&${query}&vector_threshold=0.5`)).body, { data: [{ count: 1 }] });
  const { status, text } = await service.request('/data/doc',
    { method: 'POST', body: JSON.stringify({ id: 4, near: sample(resolved({ $ref: 'DocInput' }, document).properties?.['near'] ?? {}) }) });
  t.equal(status, 201, text);
});

test('views, composite keys, comments and limits of a real database', async t => {
  const service = await lendService(t,
    { setup: everyType, env: { ...storeTables, SERVICE_DEFAULT_LIST_LIMIT: '7', SERVICE_MAX_LIST_LIMIT: '70' } });
  const document = await checked(t, (await service.request('/docs')).text);
  t.match(document.tags.find(({ name }) => name === 'Calm types'), { description: 'Only the calm ones.' });
  t.match(document.components.schemas['CalmType'], { required: ['id'], properties: { id: { format: 'uuid', readOnly: true } } });
  t.same(Object.keys(document.paths['/data/calm_types'] ?? {}), ['get']);
  t.match(operationAt(document, '/data/pairs/{id}').parameters[0],
    { name: 'id', in: 'path', schema: { type: 'string' }, description: /left, right.*:::/ });
  t.match(operationAt(document, '/data/pairs').parameters[0], { name: 'limit', schema: { default: 7, maximum: 70 } });
});

test('the list of collections and the schema version of a real database', async t => {
  const service = await lendService(t, { setup: everyType, env: storeTables });
  const { data } = JSON.parse((await service.request('/data/collections')).text) as Page;
  const { schemaVersion } = JSON.parse((await service.request('/meta/schema-version', { as: null })).text) as Row;
  t.match(data.find(({ slug }) => slug === 'pairs'),
    { name: 'Pairs', singularName: 'Pair', primaryKey: ['left', 'right'], description: 'Two of a kind.', schemaVersion });
  t.match(data.find(({ slug }) => slug === 'products'), { primaryKey: 'id', schemaVersion });
});

/** A value for each parameter that is no filter. */
const samples: Record<string, string> = {
  limit: '1', offset: '0', page: '1', orderBy: 'id', fields: 'id', include: '*', distinct: 'true', searchString: 'a', deleted: 'include',
  Prefer: 'count=none', select: 'count()', groupBy: 'id', where: '{"id":["is-not-null",null]}', or: '(id.notnull)', and: '(id.notnull)',
  not: '(id.isnull)',
};

function requiredQuery({ parameters }: Operation): string {
  return parameters.filter(({ in: place, required }) => place === 'query' && required).map(({ name }) =>
    `${name}=${encodeURIComponent(samples[name] ?? '')}`).join('&');
}

/** The path with ids that there are: of its collection's first row or, of a nested row, of the first that has one. */
async function filled(path: string, service: TestService): Promise<string> {
  const [, , slug = '', , relation, last] = path.split('/');
  const { collections } = service.database.catalog.current.document;
  const collection = collections.find(candidate => encodeURIComponent(candidate.slug) === slug);
  const target = collections.find(candidate =>
    candidate.slug === collection?.relations.find(({ name }) => encodeURIComponent(name) === relation)?.target);
  const rows = async (at: string): Promise<Row[]> => (JSON.parse((await service.request(`${at}?limit=200`)).text) as Page).data;
  for (const row of await rows(`/data/${slug}`)) {
    const filledPath = path.replace(/\{(id|parentId)\}/, idOf(row, collection?.key));
    if (last !== '{id}') return filledPath;
    const [child] = await rows(filledPath.slice(0, -'/{id}'.length));
    if (child) return filledPath.replace('{id}', idOf(child, target?.key));
  }
  throw new Error(`There is no row at ${path}.`);
}

const idOf = (row: Row, key: string[] = []): string => encodeURIComponent(key.map(name => String(row[name])).join(':::'));

function answerSchema({ responses }: Operation): Schema {
  return responses['200']?.content?.['application/json'].schema ?? {};
}
