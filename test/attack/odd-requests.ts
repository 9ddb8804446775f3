// Requests that no client of good will sends, made from a row of the route table: everything is drawn from tables by a seeded generator.
import type { Method, Route } from '../../gateway/http/route.ts';

/** Returns a whole number from 0 to below its argument. */
export type Draw = (below: number) => number;
export type OddRequest = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };

const METHODS: Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ODD_METHODS = [...METHODS, 'PROPFIND', 'TRACE', 'LINK'];

/** Path segments as they are sent: such as lead somewhere, and others. */
const SEGMENTS = [
  'posts', 'posts', 'tags', '1', '2', 'count', 'aggregate', 'bulk', '_batch', 'history', 'revert', 'delete', 'default', 'a.txt',
];
const ODD_SEGMENTS = [
  '0', '-1', '1e3', '99999999999999999999', 'me', 'default%2Fa.txt', 'a.png', '_service', '_defaults', '__proto__', 'constructor', 'null',
  'undefined', '*', ':id', '$1', '%24%7B1%7D', '0190f0a4-7c3e-7d52-8b16-2b7a3f1c9d10', '%00', 'a%00b', '%', '%f', '%ff', '%c0%af',
  '%ed%a0%80', '%2e%2e', '..%2f..%2fetc%2fpasswd', '..', '.', '', '%5c..', '%0d%0aX-Odd:%201', '%F0%9F%99%82', '%E2%80%AE', '%27', '%22',
  '%3B', '--', ':::', 'a:::b', 'A'.repeat(300), '%41'.repeat(400), 'swagger-ui.css', 'x.js',
];

/** The vocabulary of the routes: query parameters, fields of bodies, with values that some route accepts. As JSON text. */
const WORDS: Record<string, string[]> = {
  id: ['1', '"1"', '"u1"'], ids: ['[1]', '["1", {"id": 2}]'], title: ['"a"'], text: ['"a"'], tags: ['[1]', '["1"]', '[{"id": 1}]'],
  cover: ['"a.png"'], state: ['"live"'],
  at: ['"2026-01-01T00:00:00Z"'], price: ['1.5', '"12.345"'], attributes: ['{"a": {"b": 1}}'], deletedAt: ['null'],
  number: ['{"$inc": 1}', '{"$inc": 1e400}', '3'],
  email: ['"a@example.com"', '"u1@example.com"', '"A@Example.COM "'], password: ['"correct horse battery"', '"x"'],
  newPassword: ['"another horse battery"'],
  oldPassword: ['"correct horse battery"'], token: ['"abc"', `"${'a'.repeat(64)}"`], refreshToken: [`"${'b'.repeat(64)}"`],
  code: ['"000000"', '123456'], displayName: ['"Ada"'],
  photoURL: ['"https://example.com/a.png"'], metadata: ['{"a": 1}'], roles: ['["admin"]', '["reader"]', '[]'],
  scopes: ['["data:read"]', '["users:write", "*"]'],
  name: ['"a key"'], rate_limit: ['1', 'null'], expires_at: ['"2030-01-01T00:00:00Z"'],
  factorId: ['"0190f0a4-7c3e-7d52-8b16-2b7a3f1c9d10"'], challengeId: ['"0190f0a4-7c3e-7d52-8b16-2b7a3f1c9d10"'],
  mfaToken: ['"a.b.c"'], factorType: ['"totp"'], friendlyName: ['"phone"'], disabled: ['false', 'true'], uid: ['"u1"'],
  redirectTo: ['"https://example.com/"'], captchaToken: ['"x"'],
  items: ['[{"title": "a"}]', '[{"id": 1, "data": {"title": "b"}}]', '[1]'], rows: ['[{"title": "a"}]'],
  updates: ['[{"id": 1, "title": "c"}]'], upsert: ['true'],
  onConflict: ['["id"]', '"id"', '["title"]'], on_conflict: ['"id"'], hard: ['true'], deleted: ['"include"', '"only"'],
  operations: [
    '[{"op": "create", "collection": "posts", "values": {"title": "a"}, "ref": "p"}]',
    '[{"op": "update", "collection": "posts", "id": {"$ref": "p"}, "values": {}}]', '[{"op": "delete", "collection": "tags", "id": 1}]',
  ],
  collectionId: ['"posts"', '"fresh"', '"_defaults"', '"../x"'],
  collection: ['{"slug": "fresh", "properties": {"id": {"type": "number", "isId": "increment"}}}', '{"properties": {}}', 'null'],
  collections: ['{}'], message: ['"why"'], planId: ['"x"'], expected: ['"x"'], confirm: ['true'],
  schemaVersion: ['"v1:0123456789abcdef"'], remove: ['true'],
  where: ['{"title": ["==", "a"]}', '{"id": [">", 0]}', '[]'], orderBy: ['"title:desc:nulls"', '[{"field": "id"}]', '"_score"'],
  limit: ['1', '0', '1001', '"1"'], offset: ['1', '-1'], page: ['1'],
  after: ['"abc.def"'], fields: ['"id,title"', '["id"]'], include: ['"tags"', '["*"]', '{"tags": {"limit": 1}}'], distinct: ['"title"'],
  searchString: ['"a"', '"\\"a b\\" -c"'], explain: ['true', '"plan"'],
  select: ['"count(),sum(price)"'], groupBy: ['"title"'], having: ['"count().gt.1"'], vector: ['[1, 2]'], vector_search: ['"spot"'],
  or: ['"(id.eq.1,title.eq.a)"'], and: ['"(not.or(id.eq.1))"'],
  key: ['"a.txt"', '"posts/../a.txt"', '"/a/b"'], path: ['"a.txt"', '"default/a.txt"'], prefix: ['""', '"a/"'],
  bucket: ['"default"', '"nope"'], storageId: ['"(default)"', '"other"'], pageToken: ['"x"'], maxResults: ['5'],
  width: ['16', '0', '99999'], height: ['16'], fit: ['"cover"'], format: ['"webp"', '"exe"'], quality: ['80'], download: ['"1"'],
  property: ['"posts.cover"', '"photos.0"'], entityId: ['"1"'],
  jsonrpc: ['"2.0"'], method: ['"tools/call"', '"tools/call"', '"tools/list"', '"initialize"', '"ping"', '"server/discover"'],
  params: [
    '{"name": "query_collection", "arguments": {"collection": "posts"}}', '{"name": "list_collections"}',
    '{"name": "get_document", "arguments": {"collection": "tags", "id": 1}}', '{"protocolVersion": "2025-06-18"}',
    '{"name": "create_document", "arguments": {"collection": "posts", "values": {"title": "a"}}}',
  ],
  q: ['"a"'], role: ['"admin"'], sort: ['"email:desc"'], search: ['"%"'], allUsers: ['true'],
};

/** Where a value is expected. JSON text, so that no number is rounded before it is sent. */
export const ODD_VALUES = [
  'null', 'true', '0', '-0', '1e400', '-1e-400', '123456789012345678901234567890.5', '1E+2147483648', '""', '" "', '"\\u0000"',
  '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ufeff"',
  '[]', '{}', '[null]', '[[[]]]', '{"": ""}', '{"__proto__": {"a": 1}}', '{"constructor": {"prototype": {}}}', '{"$ref": "p"}',
  '{"$ref": "p.id.id"}', '{"$inc": "x"}', '{"toString": 1}', '{"length": 1e9}',
  '"%00"', '"../../etc/passwd"', '"\\r\\nX-Odd: 1"', '"$1"', '"%s"', '"NaN"', '"infinity"', '"-infinity"', '"2026-02-30"', '"now"',
  '"{1,2}"', '"(1,2)"', '"{"', '"\'"', '"\\""', '"\\\\"',
  '["a", 1, null, {}]', '{"id": {"id": {"id": 1}}}', `"${'x'.repeat(5_000)}"`, `${'['.repeat(500)}${']'.repeat(500)}`,
  `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, `[${'1,'.repeat(2_000)}1]`,
  '"🙂"', '"\\u202e"', '"é"', '"e\\u0301"', '"İ"', '"2147483648"', '9223372036854775808', '-1', '1.5', '"1e5"', '"0x10"',
];

/** Whole bodies. */
const ODD_BODIES: (string | Buffer)[] = [
  '', ' ', 'null', '[]', '1', '"a"', '{', '{"a":}', '{"a":1}x', "{'a':1}", '{"a":1,"a":2}', '\u0000', '{"a":"\u0000"}', '[{}]',
  '{"__proto__":null}', 'a=1&b=2', '<xml/>', '\ufeff{}',
  Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  '['.repeat(100_000), '{"a":'.repeat(50_000), `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `{"title":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  `{${Array.from({ length: 3_000 }, (_, n) => `"f${n}":${n}`).join(',')}}`, `{"title":"${'x'.repeat(300_000)}"}`,
  `{"limit":${'9'.repeat(10_000)}}`,
];

const FORM = 'odd-boundary';
const FORMS = [
  ['key', 'a.txt', 'file'], ['key', '../a.txt', 'file'], ['key', '\u0000', 'file'], ['bucket', '..', 'file'],
  ['metadata_a', '\r\nX-Odd: 1', 'file'], ['key', 'x', undefined], ['', '', 'file'],
  ['property', '__proto__', 'file'], ['collection', 'posts', 'file'], ['storageId', 'nope', 'file'], ['key', 'a/'.repeat(400), 'file'],
] as const;

const TYPES = [
  'application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json', 'text/plain',
  'application/x-www-form-urlencoded', `multipart/form-data; boundary=${FORM}`, 'multipart/form-data', 'application/offset+octet-stream',
  'image/png', '', '/', 'application/json; charset=utf-16',
];

const HEADERS: Record<string, string[]> = {
  'accept': ['text/html', 'application/json', '*/*;q=0', 'application/vnd.pgrst.object+json', '\u00ff'],
  'accept-encoding': ['br', 'gzip;q=0, identity;q=0', 'zip', '*'],
  'prefer': ['return=minimal', 'count=none', 'count=exact, return=representation', 'return=', 'handling=strict', 'x='.repeat(200)],
  'idempotency-key': ['k', 'a b', 'x'.repeat(300), '\u00e9', '"'],
  'if-match': ['*', '"x"', 'W/"x"', '"', '"a", "b"', ','.repeat(300)], 'if-none-match': ['*', '"x"', 'W/'],
  'if-modified-since': ['x', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  'range': ['bytes=0-', 'bytes=-0', 'bytes=9-1', 'bytes=0-0,2-3', 'bytes=99999999999999999999-', 'items=0-1', 'bytes='],
  'if-range': ['"x"', 'x'],
  'origin': ['https://evil.example', 'null', 'https://app.example.com', 'file://', 'x'], 'access-control-request-method': ['PUT', 'x'],
  'cookie': ['__service_refresh=x', '=;=;', 'a=%00', '__proto__=1'],
  'host': ['evil.example', 'localhost:1', '[::1]', 'a b', ''], 'x-forwarded-host': ['evil.example'],
  'x-forwarded-proto': ['https', 'javascript'], 'forwarded': ['for=1.2.3.4;host=evil'],
  'x-request-id': ['x', '0190f0a4-7c3e-4d52-8b16-2b7a3f1c9d10', '../..'], 'x-http-method-override': ['DELETE'],
  'content-encoding': ['gzip', 'identity'],
  'upload-length': ['5', '-1', '1e3', '99999999999999999999', ''], 'upload-offset': ['0', '5', '-1', 'x'],
  'upload-metadata': ['key YS50eHQ=', 'key', 'key ====', 'key YS50eHQ=,bucket Li4=', 'x '.repeat(100), '\u00ff'],
  'upload-defer-length': ['1'], 'tus-resumable': ['1.0.0', '0.2.2'], 'x-storage-id': ['nope'], 'user-agent': ['', 'x'.repeat(2_000)],
  'accept-language': ['x'], 'traceparent': ['00-0-0-0', 'x'],
};

const QUERY_PARTS = [
  '', '&', '=', '?', '%', '%00', '%00=%00', 'a=%ff', 'a=%ed%a0%80', '__proto__=1', 'a[]=1', 'a[b]=1', 'title=eq.a', 'title=in.(a',
  'title=like.%25', 'id=gt.1e400', 'price=eq.NaN', 'tags.name=a', 'attributes->a=eq.1', 'not.or=(id.eq.1)', '+', ';', '#',
];

const pick = <T>(draw: Draw, list: readonly T[]): T => list[draw(list.length)] as T;
const chance = (draw: Draw, oneIn: number): boolean => draw(oneIn) === 0;

function value(draw: Draw, word: string): string {
  return chance(draw, 4) ? pick(draw, ODD_VALUES) : pick(draw, WORDS[word] ?? ODD_VALUES);
}

const ODD_NAMES = ['', '\u0000', '\ud800', '__proto__', 'a.b', 'x'.repeat(500)];

/** `required`: names that the route has said it needs. */
function object(draw: Draw, required: readonly string[]): string {
  const words = Object.keys(WORDS);
  const near = draw(words.length); // words that stand together are sent together
  const neighbour = () => words[(near + draw(9)) % words.length] as string;
  const drawn = Array.from({ length: draw(6) }, () => chance(draw, 3) ? pick(draw, words) : neighbour());
  const fields = [...chance(draw, 4) ? [] : required, ...drawn]
    .map(word => `${JSON.stringify(chance(draw, 30) ? pick(draw, ODD_NAMES) : word)}: ${value(draw, word)}`);
  return `{${fields.join(', ')}}`;
}

function query(draw: Draw): string {
  const parts = Array.from({ length: chance(draw, 2) ? 0 : draw(4) + 1 }, () => {
    if (chance(draw, 4)) return pick(draw, QUERY_PARTS);
    const word = pick(draw, Object.keys(WORDS));
    const text = value(draw, word).replace(/^"(.*)"$/s, '$1');
    return `${word}=${encodeURIComponent(text.slice(0, 600).toWellFormed())}`;
  });
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

const FILE_NAMES = ['a.txt', '../a', '', 'a\u0000.png', 'é'];

function form(draw: Draw): Buffer {
  const [name, text, file] = pick(draw, FORMS);
  const part = (head: string, content: string) => `--${FORM}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const filePart = file === undefined ? '' : part(`name="${file}"; filename="${pick(draw, FILE_NAMES)}"`, 'content');
  const parts = part(`name="${name}"`, text) + filePart;
  return Buffer.from(chance(draw, 4) ? parts.slice(0, draw(parts.length)) : `${parts}--${FORM}--\r\n`);
}

/** One segment for `:name`, several for `*`. */
function pathOf(draw: Draw, { path, root }: Route, { basePath, known }: Asking): string {
  const segment = () => chance(draw, 3) ? pick(draw, ODD_SEGMENTS) : chance(draw, 4) ? pick(draw, known) : pick(draw, SEGMENTS);
  const first = () => chance(draw, 3) ? segment() : pick(draw, ['posts', 'tags']);
  const several = () => [first(), ...Array.from({ length: draw(4) }, segment)].join('/');
  const filled = path.replaceAll(/:\w+|\*/g, name => name === '*' ? several() : name === ':slug' ? first() : segment());
  return (root ? '' : basePath) + filled + (chance(draw, 25) ? pick(draw, ['/', '//', '/..', '%00', '.json']) : '');
}

/** A body and its type; most are JSON objects. */
function bodyOf(draw: Draw, { receives }: Route, required: readonly string[]): { body?: Buffer; type?: string } {
  const kind = receives === true ? draw(3) : draw(8);
  if (kind === 0) return {};
  const type = chance(draw, 6) ? pick(draw, TYPES) : kind === 2 ? `multipart/form-data; boundary=${FORM}` : 'application/json';
  return { type, body: kind === 1 ? Buffer.from(pick(draw, ODD_BODIES)) : kind === 2 ? form(draw) : Buffer.from(object(draw, required)) };
}

export type Asking = {
  basePath: string;
  /** Values of Authorization, '' for none. */
  credentials: readonly string[];
  /** Names that the body must have. */
  required: readonly string[];
  /** Ids that exist. */
  known: readonly string[];
};

/** A request to this route, mostly by its own method. */
export function oddRequest(draw: Draw, route: Route, asking: Asking): OddRequest {
  const method = chance(draw, 6) || route.method === 'ANY' ? pick(draw, ODD_METHODS) : route.method;
  const headers: Record<string, string> = {};
  for (let n = draw(4); n > 0; n -= 1) {
    const name = pick(draw, Object.keys(HEADERS));
    headers[name] = pick(draw, HEADERS[name] ?? []);
  }
  const authorization = pick(draw, asking.credentials);
  if (authorization !== '') headers['authorization'] = authorization;
  headers['x-forwarded-for'] = `10.${draw(256)}.${draw(256)}.${draw(256)}`; // no limit of an address hides what is behind it
  const { body, type } = ['GET', 'HEAD', 'TRACE'].includes(method) ? {} : bodyOf(draw, route, asking.required);
  if (type !== undefined) headers['content-type'] = type;
  return { method, path: pathOf(draw, route, asking) + query(draw), headers, body };
}
