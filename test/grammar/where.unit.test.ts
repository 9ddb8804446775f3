import t from 'tap';
import { ask, json, refusal } from './ask.ts';

const validOperators = ['==', '!=', '>', '>=', '<', '<=', 'in', 'not-in', 'array-contains', 'array-contains-any',
  'like', 'ilike', 'not-like', 'not-ilike', 'is-null', 'is-not-null'];

/** The result of `where={"f": …}`: the conditions of f, then the values. */
function where(value: unknown): unknown[] {
  const { shape, values } = ask(`/album/count?where=${json({ f: value })}`);
  return [shape.where?.['f'], ...values];
}
const refused = (value: unknown): unknown[] => refusal(`/album?where=${json({ f: value })}`);

void t.test('a tuple takes every operator, as symbol and as dot code', t => {
  for (const [name, symbol] of [
    ['==', '=='], ['eq', '=='], ['>=', '>='], ['gte', '>='], ['like', 'like'], ['not-ilike', 'not-ilike'], ['cs', 'array-contains'],
  ] as const) {
    t.strictSame(where([name, 'x']), [[[symbol, 6]], 'x'], name);
  }
  t.strictSame(where(['nin', ['a', 'b']]), [[['not-in', [6]]], '{"a","b"}']);
  t.strictSame(where(['is-null', 'whatever']), [[['is-null', null]]]);
  t.strictSame(where(['notnull', null]), [[['is-not-null', null]]]);
  t.end();
});

void t.test('a tuple, a dot-string and a bare value compile alike', t => {
  t.strictSame(where(['==', 'x']), where('eq.x'));
  t.strictSame(where('x'), where('eq.x'));
  t.strictSame(where(['x']), where('x'));
  t.strictSame(where('user@host.com'), [[['==', 6]], 'user@host.com']);
  t.end();
});

void t.test('JSON carries types: numbers are marked and keep every digit, booleans are words', t => {
  t.strictSame(where(5), [[['==', 6, 'number']], '5']);
  t.strictSame(where(['>', 1.5]), [[['>', 6, 'decimal']], '1.5']);
  t.strictSame(where(['==', '1.5']), [[['==', 6]], '1.5']);
  t.strictSame(where(true), [[['==', 6]], 'true']);
  t.strictSame(where(['!=', false]), [[['!=', 6]], 'false']);
  t.strictSame(ask('/album/count?where={"f":12345678901234567890.10}').values, ['12345678901234567890.10']);
  t.strictSame(ask('/album/count?where={"f":["in",[1.0,2]]}').values, ['{"1.0","2"}']);
  t.strictSame(where(['==', 'gte.5']), [[['==', 6]], 'gte.5'], 'a tuple operand is never an operator');
  t.end();
});

void t.test('null asks for NULL', t => {
  for (const value of [null, ['==', null], ['in', null]]) t.strictSame(where(value), [[['is-null', null]]]);
  for (const value of [['!=', null], ['not-in', null]]) t.strictSame(where(value), [[['is-not-null', null]]]);
  for (const operator of ['>', '<=', 'like', 'array-contains', 'array-contains-any']) {
    t.strictSame(refused([operator, null]), [400, 'INVALID_WHERE', { field: 'f', operator }], operator);
  }
  t.end();
});

void t.test('lists are one parameter; a scalar is a list of one', t => {
  t.strictSame(where(['a', 'b', 'c']), [[['in', [6]]], '{"a","b","c"}']);
  t.strictSame(where(['a', 'b']), [[['in', [6]]], '{"a","b"}']);
  t.strictSame(where(['in', []]), [[['in', [6]]], '{}']);
  t.strictSame(where(['not-in', []]), [[['not-in', [6]]], '{}']);
  t.strictSame(where(['in', 'a']), [[['in', [6]]], '{"a"}']);
  t.strictSame(where(['in', ['a"b\\c', '', 'é', true]])[1], '{"a\\"b\\\\c","","é","true"}');
  t.strictSame(where(['array-contains-any', ['a']]), [[['array-contains-any', [6]]], '{"a"}']);
  t.strictSame(where(['array-contains-any', 'a']), [[['array-contains', 6]], 'a'], 'to overlap with one is to contain it');
  t.strictSame(refused(['in', ['a', null]]), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22004' }]);
  t.strictSame(refused(['a', null, 'b']), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22004' }]);
  t.end();
});

void t.test('several conditions on one field are ANDed', t => {
  t.strictSame(where([['>=', 18], ['<', 65]]), [[['>=', 6, 'number'], ['<', 7, 'number']], '18', '65']);
  t.strictSame(where([['==', 'x']]), [[['==', 6]], 'x']);
  t.strictSame(where(['gte.18', 'lt.65']), [[['>=', 6], ['<', 7]], '18', '65']);
  t.strictSame(where(['a@b.com', 'c@d.com']), [[['in', [6]]], '{"a@b.com","c@d.com"}'], 'a dot alone is no operator');
  t.end();
});

void t.test('the same field in a filter and in where must satisfy both', t => {
  t.strictSame(ask(`/album/count?f=gte.1&g=2&where=${json({ f: ['<', 9], h: 1 })}`), {
    shape: { op: 'count', path: ['album'], where: { f: [['>=', 6], ['<', 8, 'number']], g: [['==', 7]], h: [['==', 9, 'number']] } },
    values: ['1', '2', '9', '1'],
    sources: ['f', 'g', 'f', 'h'].map(field => ({ kind: 'filter', field })),
  });
  t.end();
});

void t.test('a relation object stands for its id, anywhere a value goes', t => {
  const relation = (id: unknown) => ({ __type: 'relation', id, path: 'author' });
  t.strictSame(where(relation(7)), [[['==', 6]], '7']);
  t.strictSame(where(['==', relation('a')]), [[['==', 6]], 'a']);
  t.strictSame(where(['in', [relation(1), relation(2)]])[1], '{"1","2"}');
  t.strictSame(refused(relation(null)), [400, 'INVALID_WHERE', { field: 'f', operator: '==' }]);
  t.end();
});

void t.test('unknown operators are refused, with all that exist', t => {
  for (const operator of ['=', '===', '<>', '~~', '!!', 'arrayContains', 'NOT_IN', 'isNull', 'EQ', 'contains', 'startsWith',
    'notEquals', 'greaterThanOrEqual', 'lessThan', 'isEmpty', 'isNotEmpty', 'oneOf', 'notBetween', 'null']) {
    t.strictSame(refused([operator, 'x']), [400, 'UNKNOWN_FILTER_OPERATOR', { field: 'f', operator, validOperators }], operator);
  }
  for (const value of ['red', 'empty', '-', 'a-b', 'in progress', '1.2']) t.strictSame(where([value, 'x'])[0], [['in', [6]]], value);
  t.strictSame(refused([['=', 1]]), [400, 'UNKNOWN_FILTER_OPERATOR', { field: 'f', operator: '=', validOperators }]);
  t.end();
});

void t.test('malformed is INVALID_WHERE, naming the field where there is one', t => {
  for (const text of ['x', '[]', '5', 'null', '"f"', '{"f":}', '{', '['.repeat(30_000)]) {
    t.strictSame(refusal(`/album?where=${text}`), [400, 'INVALID_WHERE'], text.slice(0, 10));
  }
  for (const value of [[], {}, { a: 1 }, [{}], [['==']], [['a', 'b']], [['==', 1], 5], [['==', 1, 2]], ['a', ['b']], ['x', {}]]) {
    t.match(refused(value), [400, 'INVALID_WHERE', { field: 'f' }], JSON.stringify(value));
  }
  for (const value of [['==', ['a']], ['like', ['a']], ['array-contains', ['a', 'b']], ['==', {}]]) {
    t.match(refused(value), [400, 'INVALID_WHERE', { field: 'f' }], JSON.stringify(value));
  }
  t.end();
});

void t.test('an empty where is none', t => {
  t.notOk('where' in ask('/album?where={}').shape);
  t.notOk('where' in ask('/album?where=').shape);
  t.end();
});

void t.test('text that PostgreSQL cannot hold is refused, also when JSON escapes spell it', t => {
  t.strictSame(refusal('/album?where={"f":"a\\u0000"}'), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22021' }]);
  t.strictSame(refusal('/album?where={"f":"\\ud800"}'), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22021' }]);
  t.strictSame(refusal('/album?where={"f":["a","b\\u0000"]}'), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22021' }]);
  t.strictSame(refusal('/album?where={"f\\u0000":1}'), [400, 'INVALID_PARAM', { parameter: 'where' }]);
  t.end();
});

void t.test('a field may be called __proto__', t => {
  t.match(JSON.stringify(ask('/album/count?where={"__proto__":1}').shape), '"where":{"__proto__":[["==",6,"number"]]}');
  t.end();
});
