import { test } from 'tap';
import type { CatalogDocument } from '../../gateway/catalog/document.ts';
import { ApiError } from '../../gateway/error.ts';
import type { Call, Reply } from '../../gateway/http/route.ts';
import { metaRoutes } from '../../gateway/features/meta/routes.ts';
import { catalogOf, collectionOf, options, propertyOf } from './catalog.ts';

const things = collectionOf('things', { name: 'Things', singularName: 'Thing', description: 'What we have.' });
const lines = collectionOf('lines',
  { name: 'Lines', singularName: 'Line', key: ['orderId', 'line'], properties: [propertyOf('orderId'), propertyOf('line')] });

/** Sends requests to the routes as an account, without a sign-in, or as an admin. */
function asking({ catalog = () => catalogOf(things, lines), caller = 'nobody', roles = [], production = false }: {
  catalog?: () => CatalogDocument; caller?: 'nobody' | 'user' | 'admin'; roles?: string[]; production?: boolean;
} = {}) {
  const refuse = () => Promise.reject(new ApiError(401, 'UNAUTHORIZED', 'Who?'));
  const routes = metaRoutes({
    catalog,
    served: catalog,
    openApi: { ...options, production },
    readContract: () => Promise.resolve(`{"collections": ["${catalog().collections.map(({ slug }) => slug).join()}"]}`),
    requireReader: caller === 'nobody' ? refuse : () => Promise.resolve({ roles }),
    requireScope: caller === 'admin' ? () => Promise.resolve() : refuse,
  });
  return async (path: string, accept = '*/*'): Promise<Reply & { json: unknown }> => {
    const route = routes.find(candidate => candidate.path === path);
    if (!route) throw new Error(`There is no route ${path}.`);
    const reply = await route.handle({ path, header: (name: string) => name === 'accept' ? accept : '' } as Call);
    return { ...reply, json: JSON.parse(reply.body as string) };
  };
}

test('the document is public, in production for admins', async t => {
  t.match((await asking()('/docs')).json, { openapi: '3.0.3', paths: { '/data/things': {} } });
  await t.rejects(asking({ production: true, caller: 'user' })('/docs'), { code: 'UNAUTHORIZED' });
  t.match((await asking({ production: true, caller: 'admin' })('/docs')).json, { openapi: '3.0.3' });
});

test('a browser gets the document indented, and a cache tells the two apart', async t => {
  const ask = asking();
  const [plain, shown] = [await ask('/docs'), await ask('/docs', 'text/html,application/xhtml+xml,*/*;q=0.8')];
  t.notMatch(plain.body, /\n/);
  t.match(shown.body, /^{\n {2}"openapi": "3\.0\.3",\n/);
  t.same(shown.json, plain.json);
  t.same([plain.headers?.['Vary'], shown.headers?.['Vary']], ['Accept', 'Accept']);
});

test('without collections the document is empty and the data prefix is not there', async t => {
  const ask = asking({ catalog: () => catalogOf(), caller: 'user' });
  t.match((await ask('/docs')).json, { openapi: '3.0.3', paths: {} });
  await t.rejects(ask('/data/collections'), { status: 404, code: 'NO_COLLECTIONS' });
});

test('signed-in callers see what is served, by slug', async t => {
  await t.rejects(asking()('/data/collections'), { code: 'UNAUTHORIZED' });
  const schemaVersion = 'v1:0123456789abcdef';
  t.same((await asking({ caller: 'user' })('/data/collections')).json, {
    data: [
      { slug: 'lines', name: 'Lines', singularName: 'Line', primaryKey: ['orderId', 'line'], schemaVersion },
      { slug: 'things', name: 'Things', singularName: 'Thing', description: 'What we have.', primaryKey: 'id', schemaVersion },
    ],
  });
});

test('a collection whose rows need a role is listed for its holders', async t => {
  const catalog = () =>
    catalogOf(collectionOf('open'), collectionOf('staff', { readers: ['admin', 'staff'] }), collectionOf('closed', { readers: [] }));
  const slugs = async (...roles: string[]) =>
    ((await asking({ catalog, caller: 'user', roles })('/data/collections')).json as { data: { slug: string }[] }).data.map(({ slug }) =>
      slug);
  t.same(await slugs(), ['open']);
  t.same(await slugs('other', 'staff'), ['open', 'staff']);
  t.same(await slugs('admin'), ['open', 'staff']);
});

test('every caller may compare the schema version', async t => {
  const reply = await asking()('/meta/schema-version');
  t.equal(reply.body, '{"schemaVersion":"v1:0123456789abcdef"}');
  t.same(reply.headers, { 'x-schema-version': 'v1:0123456789abcdef' });
});

test('the document follows the catalog, and is written once for each', async t => {
  let current = catalogOf(things);
  let looks = 0;
  const watched = (catalog: CatalogDocument): CatalogDocument =>
    ({ ...catalog, get collections() { looks++; return catalog.collections; } });
  current = watched(current);
  const ask = asking({ catalog: () => current });
  const first = await ask('/docs');
  const afterFirst = looks;
  t.equal((await ask('/docs')).body, first.body);
  t.equal(looks, afterFirst, 'the catalog is not read again');
  current = watched(catalogOf(lines));
  t.match((await ask('/docs')).json, { paths: { '/data/lines': {} } });
});
