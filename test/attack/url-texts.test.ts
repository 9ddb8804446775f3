// Text that no PostgreSQL holds, in every place of a request that the tables of bodies and frames do not have: each segment of each path,
// each parameter of each query, fields and metadata of files, and definitions of the schema door.
import { test } from 'tap';
import { SERVICE_KEY } from '../harness/service.ts';
import { spoiled } from './texts.ts';
import { BASE, send, serveWhole, type RawAnswer, type Whole } from './whole-service.ts';

/** Percent-encoded: halves of a surrogate pair in CESU-8, the pair, NUL, bytes that are no UTF-8, an escape of JSON as text. */
const ENCODED = [
  '%ED%A0%80', 'a%ED%B0%80b', '%ED%A0%BD%ED%B8%80', '%00', 'a%00b', '%FF', '%C0%80', '%5Cud800', '%5Cu0000', '%22%5Cud800%22',
  '%7B%22a%22%3A%22%5Cud800%22%7D',
];
const PARAMETERS = [
  'where', 'or', 'and', 'orderBy', 'sort', 'order', 'limit', 'offset', 'page', 'after', 'fields', 'include', 'distinct', 'searchString',
  'explain', 'select', 'groupBy', 'having', 'vector', 'vector_search', 'count', 'deleted', 'hard', 'on_conflict', 'onConflict', 'title',
  'attributes', 'at', 'price', 'tags.name', 'path', 'prefix', 'bucket', 'storageId', 'pageToken', 'maxResults', 'width', 'format',
  'quality', 'download', 'token', 'q', 'role', 'search', 'key', 'property', 'collection', 'allUsers',
];

const AUTHORIZED = { authorization: `Bearer ${SERVICE_KEY}` };
const AT_ONCE = 8;

/** Each request with what it was answered, where that is an error of the service. */
async function faultsOf(
  { address }: Whole, requests: { method: string; path: string; headers?: Record<string, string>; body?: Buffer }[],
): Promise<string[]> {
  const faults: string[] = [];
  const left = [...requests];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let asked = left.pop(); asked !== undefined; asked = left.pop()) {
      const { method, path, headers, body } = asked;
      const answer = await send(address, { method, path: BASE + path, headers: { ...AUTHORIZED, ...headers }, body })
        .catch((error: unknown) => error as Error);
      if (isFault(answer)) faults.push(`${method} ${path} ${body?.toString().slice(0,
        200)}: ${answer instanceof Error ? answer.message : `${answer.status} ${answer.text}`}`);
    }
  }));
  return faults;
}

function isFault(answer: RawAnswer | Error): boolean {
  return answer instanceof Error || (answer.status >= 500 && answer.status !== 501);
}

const json = (body: unknown) => ({ headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) });

test('no text in a path is an error of the service', async t => {
  const service = await serveWhole(t);
  const paths = new Set(service.routes.filter(({ path }) => /:|\*/.test(path)).flatMap(({ path, method }) =>
    ['posts', 'posts/1', 'posts/1/tags', 'posts/1/history'].map(inside =>
      `${method === 'ANY' ? 'GET' : method} ${path.replace('*', inside)}`)));
  const requests = [...paths].flatMap(row => {
    const [method = '', path = ''] = row.split(' ');
    const segments = path.split('/');
    return segments.flatMap((_, at) => at < 2 ? [] : ENCODED.map(text => {
      const spoiledPath = segments.map((segment, n) => n === at ? text : segment.startsWith(':') ? '1' : segment).join('/');
      return { method, path: spoiledPath, ...['POST', 'PUT', 'PATCH'].includes(method) && json({}) };
    }));
  });
  t.ok(requests.length > 500, `${requests.length} requests`);
  t.same(await faultsOf(service, requests), []);
  t.same(service.failures, [], 'the log has no error');
});

test('no text in a query is an error of the service', async t => {
  const service = await serveWhole(t);
  const paths = [
    'data/posts', 'data/posts/1', 'data/posts/count', 'data/posts/aggregate', 'data/posts/1/tags', 'data/posts/1/history', 'storage/list',
    'storage/file/a.txt', 'storage/metadata/a.txt', 'admin/users', 'admin/api-keys', 'admin/rls-audit', 'auth/verify-email',
  ];
  const requests = paths.flatMap(path => PARAMETERS.flatMap(name => ENCODED.flatMap(text => [
    { method: 'GET', path: `/${path}?${name}=${text}` },
    ...path.startsWith('data/') ? [
      { method: 'GET', path: `/${path}?${name}=eq.${text}` }, { method: 'GET', path: `/${path}?${text}=${name}` },
    ] : [],
  ])));
  t.same(await faultsOf(service, requests), []);
  t.same(service.failures, [], 'the log has no error');
});

const FORM = 'texts';
const part = (head: string, content: string): string => `--${FORM}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const bytes = (text: string): Buffer =>
  Buffer.from(text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))), 'latin1');

test('no text of a file\'s form, name or metadata is an error of the service', async t => {
  const service = await serveWhole(t);
  const fields = ['key', 'bucket', 'storageId', 'collection', 'property', 'fileName', 'metadata_a', 'metadata', 'contentType', 'path'];
  const file = 'Content-Type: text/plain';
  const forms = ENCODED.flatMap(text => [
    ...fields.map(name => part(`name="${name}"`, text) + part(`name="file"; filename="a.txt"\r\n${file}`, 'x')),
    part(`name="${text}"`, 'x') + part('name="file"; filename="a.txt"', 'x'),
    part('name="key"', 'a.txt') + part(`name="file"; filename="${text}"\r\n${file}`, 'x'),
    part('name="key"', 'a.txt') + part(`name="file"; filename="a.txt"\r\nContent-Type: ${text}`, 'x'),
  ]);
  const uploads = forms.map(form => ({
    method: 'POST', path: '/storage/upload', headers: { 'content-type': `multipart/form-data; boundary=${FORM}` },
    body: bytes(`${form}--${FORM}--\r\n`),
  }));
  const resumable = ENCODED.flatMap(text => [
    'key', 'filename', 'bucket', 'storageId', 'contentType', 'filetype', 'collection', 'property',
  ].map(name => ({
    method: 'POST', path: '/storage/tus',
    headers: {
      'upload-length': '5', 'upload-metadata': `${name === 'key' ? '' : 'key YS50eHQ=,'}${name} ${bytes(text).toString('base64')}`,
    },
  })));
  const folders = spoiled({ path: 'a', bucket: 'default', storageId: '(default)' }).map(({ value }) =>
    ({ method: 'POST', path: '/storage/folder', ...json(value) }));
  t.same(await faultsOf(service, [...uploads, ...resumable, ...folders]), []);
  t.same(service.failures, [], 'the log has no error');
});

const COLLECTION = {
  name: 'Fresh', table: 'fresh', description: 'd', icon: 'i', group: 'g',
  properties: {
    id: { type: 'string', isId: 'gen_random_uuid()::text' },
    title: { type: 'string', name: 'Title', description: 'd', columnName: 'title', defaultValue: 'a', validation: { matches: '^a$' } },
    state: { type: 'string', enum: ['a', { id: 'b', label: 'B' }] },
    post: { type: 'relation', relation: { kind: 'belongsTo', target: 'posts', localKey: 'post_id' } },
  },
  securityRules: [{ operation: 'select', name: 'r', using: '{title} = service.uid()' }, { operation: 'insert', roles: ['editor'] }],
  indexes: [{ on: ['title'], reason: 'r' }], search: { fields: ['title'], language: 'english' }, callbacks: { beforeSave: 'public.keep' },
};

test('a definition with text that PostgreSQL cannot hold is refused by the schema door, with its place', async t => {
  const service = await serveWhole(t);
  const bodies = spoiled({ collection: COLLECTION }).filter(({ about }) => /: (?:a high surrogate|NUL)$/.test(about));
  t.ok(bodies.length > 100, `${bodies.length} definitions`);
  for (const route of ['admin/schema/plan', 'admin/schema/apply']) {
    for (const { value, about } of bodies) {
      const { status, text } = await send(service.address,
        { method: 'POST', path: `${BASE}/${route}`, ...authorized({ collectionId: 'fresh', ...value }) });
      const { error } = JSON.parse(text) as { error: { code: string } };
      t.match([status, error.code], [400, 'INVALID_CHANGE'], `${route}: ${about}`);
    }
  }
  t.same(service.failures, [], 'the log has no error');
});

/** Texts that PostgreSQL would not read as a name. */
const NO_NAMES = ['%ED%A0%80%', '\\u0000\\ud800', '1a', '-', 'a-b', 'a.', '.a', '""', '"', 'a.b.c', ' ', '\u00e9'];

test('a callback or a language that is no name is not an error of the service', async t => {
  const service = await serveWhole(t);
  const bodies = NO_NAMES.flatMap(text => [
    { callbacks: { beforeSave: text } }, { search: { fields: ['title'], language: text } },
  ].map(part =>
    ({
      method: 'POST', path: '/admin/schema/plan',
      ...json({ collectionId: 'fresh', collection: { ...COLLECTION, callbacks: undefined, search: undefined, ...part } }),
    })));
  t.same(await faultsOf(service, bodies), []);
  t.same(service.failures, [], 'the log has no error');
});

function authorized(body: unknown): { headers: Record<string, string>; body: Buffer } {
  const { headers, body: bytesOfBody } = json(body);
  return { headers: { ...AUTHORIZED, ...headers }, body: bytesOfBody };
}
