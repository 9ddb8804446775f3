// A payload asks for the same as the equal request over REST.
import { test, type Test } from 'tap';
import { parseFrame } from '../../gateway/features/realtime/frame.ts';
import { requestOf, rowPathOf } from '../../gateway/features/data-query.ts';
import { parseRead } from '../../gateway/grammar/read/request.ts';

const limits = { defaultLimit: 50, maxLimit: 1000, maxIncludeLimit: 1000 };

/** As it comes over a socket. */
function asked(payload: object | string): Record<string, unknown> {
  return parseFrame(`{"type":"T","payload":${typeof payload === 'string' ? payload : JSON.stringify(payload)}}`).payload;
}

function read(payload: object | string) {
  const { path, query } = requestOf(asked(payload));
  return parseRead(path, query, limits);
}

function same(t: Test, payload: object | string, query: string, path = ['posts']): void {
  t.same(read(payload), parseRead(path, query, limits), query);
}

test('a payload is a query', t => {
  same(t, { path: 'posts' }, '');
  same(t, { path: 'posts/1/comments' }, '', ['posts', '1', 'comments']);
  same(t, { path: 'posts/a%2Fb/comments' }, '', ['posts', 'a/b', 'comments']);
  same(t, { path: 'posts', filter: { status: ['==', 'published'] } }, 'status=eq.published');
  same(t, { path: 'posts', filter: { status: [['>=', 'a'], ['<', 'b & c=d']] } }, 'status=gte.a&status=lt.b%20%26%20c%3Dd');
  same(t, { path: 'posts', filter: { status: ['in', ['a', 'b,c']] } }, 'status=in.(a,b\\,c)');
  same(t, { path: 'posts', filter: {} }, '');
  same(t, { path: 'posts', logical: {
    type: 'or',
    conditions: [{ column: 'a', operator: '==', value: 'x,y' }, { type: 'and', conditions: [{ column: 'b', operator: 'is-null' }] }],
  } },
    'or=(a.eq.x\\,y,and(b.isnull))');
  same(t, { path: 'posts', logical: { type: 'or', conditions: [] } }, '');
  same(t, { path: 'posts', or: '(a.eq.1,b.eq.2)' }, 'or=(a.eq.1,b.eq.2)');
  same(t, { path: 'posts', orderBy: [['created_at', 'desc'], ['id', 'asc', 'first']] },
    'orderBy=[{"field":"created_at","direction":"desc"},{"field":"id","nulls":"first"}]');
  same(t, { path: 'posts', orderBy: ['created_at', 'desc'] }, 'orderBy=created_at:desc');
  same(t, { path: 'posts', orderBy: 'created_at', order: 'desc' }, 'orderBy=created_at:desc');
  same(t, { path: 'posts', orderBy: 'created_at:desc:last' }, 'orderBy=created_at:desc:last');
  same(t, {
    path: 'posts', orderBy: null, limit: null, include: null, fields: null, startAfter: {}, logical: null, filter: null, vectorSearch: null,
  }, '');
  same(t, { path: 'posts', limit: 20, offset: 40 }, 'limit=20&offset=40');
  same(t, { path: 'posts', limit: '20', offset: 1, page: 3 }, 'limit=20&page=3');
  same(t, { path: 'posts', searchString: 'a & b', searchExplain: true }, 'searchString=a%20%26%20b&searchExplain=true');
  same(t, { path: 'posts', include: ['author', 'tags.owner'], fields: ['id', 'title'], distinct: true },
    'include=author,tags.owner&fields=id,title&distinct=true');
  same(t, { path: 'posts', include: { author: { fields: ['name'] } } }, 'include={"author":{"fields":["name"]}}');
  same(t, { path: 'posts', deleted: 'include' }, 'deleted=include');
  same(t, { path: 'posts', vectorSearch: { property: 'v', vector: [1, 2.5], distance: 'l2', threshold: 0.5 } },
    'vector_search=v&vector=[1,2.5]&vector_distance=l2&vector_threshold=0.5');
  same(t, { path: 'posts', collection: { slug: 'others' }, subscriptionId: 'x' }, '');
  same(t, { path: 'posts', collection: null, explain: null }, '');
  same(t, { path: 'posts', explain: false }, '');
  same(t, { path: 'posts', title: 'neq.x', order: 'a' }, 'title=neq.x&order=a');
  t.end();
});

test('numbers keep their digits', t => {
  same(t, '{"path":"posts","filter":{"n":12345678901234567890}}', 'where={"n":12345678901234567890}');
  same(t, '{"path":"posts","filter":{"n":["in",[1.0,0.12345678901234567]]}}', 'where={"n":["in",[1.0,0.12345678901234567]]}');
  t.same(rowPathOf(asked('{"path":"posts","id":12345678901234567890}')), ['posts', '12345678901234567890']);
  t.end();
});

const refused: [payload: object | string, code: string][] = [
  [{}, 'INVALID_INPUT'], [{ path: 1 }, 'INVALID_INPUT'], [{ path: '' }, 'NOT_FOUND'], [{ path: 'posts/1' }, 'NOT_FOUND'],
  [{ path: 'posts/%zz/x' }, 'BAD_REQUEST'], [{ path: 'posts\0' }, 'NOT_FOUND'], ['{"path":"\\ud800"}', 'NOT_FOUND'],
  ...[0, -1, 1.5, 1001, 1e300, '1e2', 'x', true, [], {}].map((limit): [object, string] => [{ path: 'posts', limit }, 'INVALID_LIMIT']),
  ...[
    1, {}, [1], [['a', 'up']], [['a', 'asc', 'last', 'x']], [[]], 'a:up', [{ direction: 'asc' }], [{ field: 'a', ascending: false }],
  ].map((orderBy): [object, string] => [{ path: 'posts', orderBy }, 'INVALID_ORDER_BY']),
  [{ path: 'posts', orderBy: 'a', order: 'up' }, 'INVALID_ORDER_BY'],
  [{ path: 'posts', filter: [] }, 'INVALID_WHERE'], [{ path: 'posts', filter: {}, where: '{}' }, 'INVALID_WHERE'],
  [{ path: 'posts', filter: { a: [] } }, 'INVALID_WHERE'], [{ path: 'posts', filter: { a: ['~=', 1] } }, 'UNKNOWN_FILTER_OPERATOR'],
  ['{"path":"posts","filter":{"a":"\\ud800"}}', 'INVALID_FILTER_VALUE'],
  ['{"path":"posts","searchString":"\\ud800"}', 'INVALID_PARAM'],
  [{ path: 'posts', logical: 'or' }, 'INVALID_LOGICAL_GROUP'],
  [{ path: 'posts', logical: { type: 'xor', conditions: [] } }, 'INVALID_LOGICAL_GROUP'],
  [{ path: 'posts', logical: { type: 'or', conditions: [1] } }, 'INVALID_LOGICAL_GROUP'],
  [{ path: 'posts', or: '[{' }, 'INVALID_LOGICAL_GROUP'], [{ path: 'posts', offset: -1 }, 'INVALID_OFFSET'],
  [{ path: 'posts', page: 0 }, 'INVALID_PAGE'], [{ path: 'posts', page: {} }, 'INVALID_PARAM'],
  [{ path: 'posts', startAfter: { id: 1 } }, 'INVALID_CURSOR'], [{ path: 'posts', startAfter: 'x' }, 'INVALID_CURSOR'],
  [{ path: 'posts', include: [1] }, 'INVALID_INCLUDE'], [{ path: 'posts', fields: {} }, 'INVALID_PARAM'],
  [{ path: 'posts', distinct: 'x' }, 'INVALID_DISTINCT'], [{ path: 'posts', vectorSearch: 'x' }, 'INVALID_VECTOR'],
  [{ path: 'posts', vectorSearch: { property: 'v' } }, 'INVALID_VECTOR'],
  [{ path: 'posts', explain: true }, 'INVALID_PARAM'], [{ path: 'posts', title: ['x'] }, 'INVALID_PARAM'],
  [{ path: 'posts', filter: { a: 'x'.repeat(40_000) } }, 'URI_TOO_LONG'],
];

test('malformed payloads have codes of their own', t => {
  for (const [payload, code] of refused) t.throws(() => read(payload), { code }, JSON.stringify(payload).slice(0, 100));
  t.throws(() => rowPathOf(asked({ path: 'posts' })), { code: 'INVALID_INPUT' });
  for (const id of ['count', 'aggregate', '\0']) t.throws(() => rowPathOf(asked({ path: 'posts', id })), { code: 'NOT_FOUND' });
  t.end();
});
