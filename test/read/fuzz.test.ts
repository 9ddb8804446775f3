import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import t, { test } from 'tap';
import { random } from '../harness/effort.ts';
import { lendService } from '../harness/lend.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { client } from './client.ts';
import { library } from './library.ts';

const service = await lendService(t, { template: 'served', setup: library });

const field = fc.constantFrom('id', 'title', 'pages', 'price', 'secret', 'attributes', 'attributes->lang', 'author', 'authorId',
  'author.name', 'tags', 'tags.name', 'reviews.stars', 'shelves', 'nothing', '', '__proto__', '~n', 'a"b', '%');
const code = fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'cs', 'csa', 'like', 'ilike', 'nlike', 'nilike', 'isnull',
  'notnull', '==', 'not-in', 'array-contains', 'is', '');
const value = fc.oneof(fc.constantFrom('1', '2', 'Tea', '%', '\\', '(', ')', '(\\)', '(1,2)', 'null', 'true', 'NaN', '1e400', '99999999999',
  '{}', '[]', '$1', '\'', '"', '--', ';', '\u0000', '🙂'), fc.string({ unit: 'binary', maxLength: 8 }));
const json = fc.oneof(fc.json({ maxDepth: 4 }),
  fc.record({ field, code, value }).map(({ field, code, value }) => JSON.stringify({ [field]: [code, value] })));
const group = fc.letrec<{ node: string }>(tie => ({
  node: fc.oneof({ maxDepth: 4 }, fc.tuple(field, code, value).map(parts => parts.join('.')),
    fc.tuple(fc.constantFrom('and', 'or', 'not',
      ''), fc.array(tie('node'), { maxLength: 3 })).map(([type, parts]) => `${type}(${parts.join(',')})`)),
})).node;
const include = fc.oneof(
  fc.array(fc.constantFrom('author', 'tags', 'reviews', 'shelves', 'author.books', 'tags.books.tags', '*', 'nothing', 'author.author', ''))
    .map(names => names.join(',')),
  fc.record({
    where: json.map(text => JSON.parse(text) as unknown), limit: fc.oneof(fc.integer({ min: -1, max: 5 }), fc.constant(null)),
    orderBy: fc.constantFrom('id', 'title:desc', 'nothing', 5),
  }, { requiredKeys: [] }).map(node => JSON.stringify({ author: node, tags: node })),
  json);
const parameter = fc.oneof(
  fc.tuple(field, code, value).map(([field, code, value]) => [field, `${code}.${value}`]),
  fc.tuple(fc.constantFrom('and', 'or', 'not'), group),
  fc.tuple(fc.constant('where'), json),
  fc.tuple(fc.constant('include'), include),
  fc.tuple(fc.constant('orderBy'), fc.oneof(
    fc.tuple(field, fc.constantFrom('asc', 'desc', 'up', ''), fc.constantFrom('first', 'last', '')).map(parts => parts.join(':')), json,
  )),
  fc.tuple(fc.constantFrom('limit', 'offset', 'page'), fc.oneof(fc.integer({ min: -1, max: 1001 }).map(String), value)),
  fc.tuple(fc.constantFrom('after', 'fields', 'distinct', 'searchString', 'deleted', 'vector_search', 'vector', 'select', 'groupBy'),
    value),
) as fc.Arbitrary<[string, string]>;
const path = fc.oneof(
  fc.constantFrom('books', 'books/1', 'books/count', 'books/x', 'authors', 'authors/1/books', 'authors/1/books/2', 'tags/1/books/2/author',
    'shelves/A:::1', 'shelves/A:::x/books', 'reviews', 'nothing', 'books/aggregate'),
  fc.array(value, { minLength: 1, maxLength: 4 }).map(segments => segments.map(encodeURIComponentSafely).join('/')));

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** As raw as it is: fetch would mend some of it. */
function ask(target: string, { method = 'GET', body = '', type = 'application/json' } = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(`${service.address}/api/data/`, { method, path: `/api/data/${target}`, headers: {
      authorization: `Bearer ${SERVICE_KEY}`, ...(body === '' ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    } }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end',
        () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    call.on('error', reject).end(body);
  });
}

function isAnswer({ status, text }: { status: number; text: string }, allowed: number[]): boolean {
  const body = JSON.parse(text) as { error?: { code: string } };
  return allowed.includes(status) && (status < 300 || typeof body.error?.code === 'string');
}

test('every query gets rows or a refusal', async t => {
  await fc.assert(fc.asyncProperty(path, fc.array(parameter, { maxLength: 4 }), async (path, parameters) => {
    const target =
      `${path}?${parameters.map(([key, value]) => `${encodeURIComponentSafely(key)}=${encodeURIComponentSafely(value)}`).join('&')}`;
    const answer = await ask(target);
    if (!isAnswer(answer, [200, 400, 404, 501])) throw new Error(`GET ${target}: ${answer.status} ${answer.text}`);
  }), random(800));
  t.equal((await client(t, service).get('books')).meta.total, 5, 'and the service goes on');
});

test('and when it is no query at all', async t => {
  const raw = fc.array(fc.constantFrom('%', '&', '=', '(', ')', '[', '{', '"', '\\', '.', ',', ':', '+', '#', '/', 'a', '1', 'where', 'or',
    'eq', 'books', '%00', '%ff', '%F0%9F', '%2F', '..'), { maxLength: 20 }).map(parts => parts.join(''));
  await fc.assert(fc.asyncProperty(raw, raw, async (path, query) => {
    const target = `books${path.replaceAll('#', '')}?${query.replaceAll('#', '')}`;
    const answer = await ask(target);
    if (!isAnswer(answer, [200, 400, 404, 501])) throw new Error(`GET ${target}: ${answer.status} ${answer.text}`);
  }), random(400));
  t.equal((await client(t, service).get('books')).meta.total, 5);
});

test('every body gets an answer or a refusal', async t => {
  const body = fc.oneof(fc.json(), fc.string(), fc.uint8Array({ maxLength: 50 }).map(bytes => Buffer.from(bytes).toString('latin1')));
  await fc.assert(fc.asyncProperty(fc.constantFrom('POST', 'PATCH', 'PUT', 'DELETE'), fc.constantFrom(
    'nothing', 'nothing/1', 'books/99', 'shelves/x:::y:::z',
  ), body, fc.constantFrom(
    'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x',
  ), async (method, path, body, type) => {
    const answer = await ask(path, { method, body, type });
    if (answer.status >= 500 && answer.status !== 501) {
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
    }
  }), random(400));
  t.equal((await client(t, service).get('books')).meta.total, 5);
});
