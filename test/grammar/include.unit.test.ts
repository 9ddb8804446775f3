import t from 'tap';
import { ask, json, refusal } from './ask.ts';

const include = (value: string): unknown => ask(`/album/1?include=${value}`).shape.include;
const node = (options: unknown): unknown[] => {
  const { shape, values } = ask(`/album/1?include=${json({ rel: options })}`);
  return [shape.include?.['rel'], ...values.slice(1)];
};
const refused = (options: unknown): unknown[] => refusal(`/album?include=${json({ rel: options })}`);

void t.test('a comma list of relations and dotted paths is a tree', t => {
  t.strictSame(include('artist'), { artist: {} });
  t.strictSame(include('artist, track'), { artist: {}, track: {} });
  t.strictSame(include('author,author.posts,author.posts.tags,tags'),
    { author: { include: { posts: { include: { tags: {} } } } }, tags: {} });
  t.strictSame(include('a.b,a.c'), { a: { include: { b: {}, c: {} } } });
  t.strictSame(include('*'), { '*': {} });
  t.strictSame(include('*,comments.author'), { '*': {}, comments: { include: { author: {} } } });
  t.equal(include(','), undefined);
  t.equal(include(''), undefined);
  t.end();
});

void t.test('three hops, in every spelling', t => {
  t.strictSame(include('a.b.c'), { a: { include: { b: { include: { c: {} } } } } });
  t.strictSame(include(json({ a: { include: { b: { include: { c: true } } } } })), include('a.b.c'));
  t.strictSame(include(json({ a: { include: ['b.c'] } })), include('a.b.c'));
  const tooDeep = ['a.b.c.d', 'x,a.b.c.d', json({ a: { include: { b: { include: { c: { include: { d: true } } } } } } }),
    json({ a: { include: ['b.c.d'] } }), json({ a: { include: { b: { include: 'c.d' } } } })];
  for (const text of tooDeep) t.strictSame(refusal(`/album?include=${text}`), [400, 'INCLUDE_TOO_DEEP', { maximum: 3 }], text);
  t.end();
});

void t.test('a JSON object maps a relation to true or to options; false and null leave it out', t => {
  t.strictSame(include(json({ a: true, b: false, c: null, d: {} })), { a: {}, d: {} });
  t.strictSame(include(json({ '*': true, a: { fields: ['x'] } })), { '*': {}, a: { fields: ['x'] } });
  t.strictSame(include(json({ 'a.b': true })), { 'a.b': {} }, 'no path: a relation of that name');
  t.equal(include('{}'), undefined);
  t.end();
});

void t.test('a node takes all options, its values numbered in one order', t => {
  const options = {
    include: { author: { where: { x: 1 } } },
    fields: ['id', 'body'],
    limit: 5,
    orderBy: 'createdAt:desc:last',
    logical: { type: 'or', conditions: [
      { column: 'status', operator: '==', value: 'x' }, { type: 'and', conditions: [{ column: 'n', operator: 'gt', value: 3 }] },
    ] },
    where: { published: ['==', true], n: 'gte.1' },
  };
  t.strictSame(node(options), [
    {
      where: { published: [['==', 7]], n: [['>=', 8]] },
      logical: {
        type: 'or',
        conditions: [
          { column: 'status', condition: ['==', 9] }, { type: 'and', conditions: [{ column: 'n', condition: ['>', 10, 'number'] }] },
        ],
      },
      orderBy: [{ field: 'createdAt', direction: 'desc', nulls: 'last' }],
      limit: 11,
      fields: ['id', 'body'],
      include: { author: { where: { x: [['==', 12, 'number']] } } },
    },
    'true', '1', 'x', '3', '5', '1',
  ]);
  t.strictSame(node({ limit: null, where: {}, fields: [], include: [], orderBy: [] }), [{}]);
  t.end();
});

void t.test('the order of a node has every spelling of an order, and tuples', t => {
  const descending = [{ field: 'f', direction: 'desc' }];
  for (const orderBy of [
    'f:desc', '["f:desc"]', ['f', 'desc'], ['f', 'DESC'], [['f', 'desc']], [['f', 'desc', 'first']], [{ field: 'f', direction: 'desc' }],
    ['f:desc'],
  ]) {
    t.strictSame(node({ orderBy }), [{ orderBy: descending }], JSON.stringify(orderBy));
  }
  t.strictSame(node({ orderBy: [['f', 'desc', 'last'], ['g'], 'h'] }), [{ orderBy: [
    { field: 'f', direction: 'desc', nulls: 'last' }, { field: 'g', direction: 'asc' }, { field: 'h', direction: 'asc' }] }]);
  for (const orderBy of [5, {}, true, '', 'f:up', [5], [['f', 'desc', 'last', 'x']], [[]], [['f', 'up']], '[', ['f', 'desc', 'x']]) {
    t.strictSame(refused({ orderBy }), [400, 'INVALID_INCLUDE'], JSON.stringify(orderBy));
  }
  t.end();
});

void t.test('the group of a node is JSON or text', t => {
  const expected = { type: 'or', conditions: [{ column: 'a', condition: ['==', 7] }, { column: 'b', condition: ['in', [8]] }] };
  t.strictSame(node({ logical: 'or(a.eq.1,b.in.(2,3))' }), [{ logical: expected }, '1', '{"2","3"}']);
  t.strictSame(node({
    logical: { type: 'or', conditions: [{ column: 'a', operator: '==', value: '1' }, { column: 'b', operator: 'in', value: ['2', '3'] }] },
  }),
    [{ logical: expected }, '1', '{"2","3"}']);
  t.strictSame(node({ logical: { type: 'not', conditions: [{ column: 'a', operator: 'isnull' }] } }),
    [{ logical: { type: 'not', conditions: [{ column: 'a', condition: ['is-null', null] }] } }]);
  t.strictSame(node({ logical: { type: 'and', conditions: [] } }), [{}]);
  t.strictSame(node({ logical: 'and()' }), [{}]);
  t.end();
});

void t.test('a malformed group of a node is INVALID_LOGICAL_GROUP', t => {
  const leaf = { column: 'a', operator: '==', value: 1 };
  const nested = (levels: number): object => levels === 0 ? leaf : { type: 'and', conditions: [nested(levels - 1)] };
  t.ok(node({ logical: nested(32) }));
  for (const logical of [5, [], {}, nested(33), { type: 'xor', conditions: [leaf] }, { type: 'or', conditions: [5] },
    { type: 'or', conditions: leaf },
    { type: 'or', conditions: [{ type: 'and', conditions: [] }] }, { type: 'or', conditions: [{ column: 'a' }] },
    { type: 'or', conditions: [{ column: '', operator: '==', value: 1 }] }, 'a.eq.1', 'xor(a.eq.1)', 'or(a.eq.1', 'or(a.eq.1)x']) {
    t.strictSame(refused({ logical }), [400, 'INVALID_LOGICAL_GROUP'], JSON.stringify(logical).slice(0, 60));
  }
  for (const value of [undefined, {}, ['x'], []]) {
    t.strictSame(refused({ logical: { type: 'or', conditions: [{ column: 'a', operator: '==', value }] } }),
      [400, 'INVALID_LOGICAL_GROUP', { field: 'a', operator: '==' }]);
  }
  t.match(refused({ logical: { type: 'or', conditions: [{ column: 'a', operator: 'is', value: 1 }] } }),
    [400, 'UNKNOWN_FILTER_OPERATOR', { field: 'a', operator: 'is' }]);
  t.end();
});

void t.test('malformed includes are refused, on every read', t => {
  for (const text of [
    '{', '{"a"}', '{"a":1}', '{"a":"b"}', '{"a":[]}', '{"*":{}}', '{"":true}', 'a..b', '.a', 'a.', 'a.*', '*.a', `{"a":${'['.repeat(9000)}`,
  ]) {
    for (const path of ['/album', '/album/1', '/album/count']) {
      t.strictSame(refusal(`${path}?include=${text}`), [400, 'INVALID_INCLUDE'], text.slice(0, 20));
    }
  }
  for (const limit of [0, 1.5, '5', -1, true, 10_001]) {
    t.strictSame(refused({ limit }), [400, 'INVALID_INCLUDE', { parameter: 'limit', maximum: 10_000 }], JSON.stringify(limit));
  }
  for (const options of [{ fields: 5 }, { fields: [5] }, { fields: {} },
    { include: 5 }, { include: [5] }, { include: true }, { include: '*' }, { include: ['*'] }, { include: { '*': true } }, { limits: 5 },
    { __proto__x: 1 }]) {
    t.strictSame(refused(options), [400, 'INVALID_INCLUDE'], JSON.stringify(options));
  }
  t.strictSame(refused({ where: 5 }), [400, 'INVALID_WHERE']);
  t.strictSame(refused({ where: { a: [] } }), [400, 'INVALID_WHERE', { field: 'a' }]);
  t.strictSame(refused({ where: { a: '\0' } }), [400, 'INVALID_FILTER_VALUE', { field: 'a', dbCode: '22021' }]);
  t.strictSame(refused({ fields: ['\0'] }), [400, 'INVALID_PARAM', { parameter: 'include' }]);
  t.strictSame(refusal('/album?include=a%00'), [400, 'INVALID_PARAM', { parameter: 'include' }]);
  t.end();
});

void t.test('a relation may be called __proto__', t => {
  t.match(JSON.stringify(ask('/album/1?include=__proto__.constructor').shape), '"include":{"__proto__":{"include":{"constructor":{}}}}');
  t.match(JSON.stringify(ask('/album/1?include={"__proto__":true}').shape), '"include":{"__proto__":{}}');
  t.end();
});

void t.test('a count includes nothing, and takes no values for it', t => {
  t.strictSame(ask(`/album/count?include=${json({ a: { limit: 5 } })}`),
    { shape: { op: 'count', path: ['album'], checked: { include: { a: { limit: 6 } } } }, values: [], sources: [] });
  t.end();
});
