import t from 'tap';
import { ask, cursor, refusal } from './ask.ts';

void t.test('select names functions and fields', t => {
  t.strictSame(ask('/order/aggregate?select=sum(total),count(),AVG( total ),min(a_1),Max(b), count(x)').shape.select, [
    { fn: 'sum', field: 'total' }, { fn: 'count' }, { fn: 'avg', field: 'total' },
    { fn: 'min', field: 'a_1' }, { fn: 'max', field: 'b' }, { fn: 'count', field: 'x' },
  ]);
  t.strictSame(ask('/order/aggregate?select=count(),COUNT(),count( )').shape.select, [{ fn: 'count' }], 'an entry sent twice counts once');
  t.end();
});

void t.test('an aggregate is narrowed like a list', t => {
  t.strictSame(ask('/order/aggregate?select=count()&status=paid&or=(a.eq.1)&searchString=x&deleted=only'), {
    shape: {
      op: 'aggregate',
      path: ['order'],
      where: { status: [['==', 6]] },
      logical: { type: 'or', conditions: [{ column: 'a', condition: ['==', 7] }] },
      search: { param: 8 },
      deleted: 'only',
      select: [{ fn: 'count' }],
    },
    values: ['paid', '1', 'x'],
    sources: [{ kind: 'filter', field: 'status' }, { kind: 'filter', field: 'a' }, { kind: 'search' }],
  });
  t.end();
});

void t.test('groups are ordered and paged', t => {
  t.strictSame(ask('/order/aggregate?select=count()&groupBy=status, country,status&orderBy=count:desc&limit=5&offset=10'), {
    shape: {
      op: 'aggregate', path: ['order'], select: [{ fn: 'count' }], groupBy: ['status', 'country'],
      orderBy: [{ field: 'count', direction: 'desc' }], limit: { param: 6, bucket: 8 }, offset: 7,
    },
    values: ['5', '10'],
    sources: [{ kind: 'limit' }, { kind: 'offset' }],
  });
  t.strictSame(ask('/order/aggregate?select=count()&groupBy=status').values, ['50']);
  t.end();
});

void t.test('one row cannot be paged, and groups have no cursor', t => {
  for (const [parameter, value] of [['limit', '5'], ['offset', '0'], ['page', '1'], ['after', cursor([], ['1'])]] as const) {
    t.strictSame(refusal(`/order/aggregate?select=count()&${parameter}=${value}`), [400, 'INVALID_AGGREGATE_WINDOW', { parameter }]);
  }
  t.strictSame(refusal(`/order/aggregate?select=count()&groupBy=a&after=${cursor([], ['1'])}`),
    [400, 'INVALID_AGGREGATE_WINDOW', { parameter: 'after' }]);
  t.end();
});

void t.test('an aggregate needs a select', t => {
  for (const query of ['', '?select=', '?groupBy=a']) {
    t.strictSame(refusal(`/order/aggregate${query}`), [400, 'MISSING_AGGREGATE_SELECT'], query);
  }
  t.end();
});

void t.test('malformed entries are refused, also where no aggregate is asked for', t => {
  for (const entry of [
    'total', 'sum', 'sum(', 'sum)', '(total)', 'sum()', 'sum( )', 'min()', 'sum(a.b)', 'sum(a->>b)', 'count(*)', 'sum(a)x', 'sum(a',
    'sum a',
  ]) {
    for (const path of ['/order/aggregate', '/order', '/order/1', '/order/count']) {
      t.strictSame(refusal(`${path}?select=count(),${entry}`), [400, 'INVALID_AGGREGATE_SELECT', { entry }], entry);
    }
  }
  t.strictSame(refusal('/order/aggregate?select=median(a)'), [400, 'INVALID_AGGREGATE_FUNCTION', { function: 'median' }]);
  t.strictSame(refusal('/order/aggregate?select=constructor(a)'), [400, 'INVALID_AGGREGATE_FUNCTION', { function: 'constructor' }]);
  t.strictSame(refusal('/order/aggregate?select=count()&groupBy=a%00'), [400, 'INVALID_PARAM', { parameter: 'groupBy' }]);
  t.end();
});

void t.test('empty entries are passed over, as in every list of names', t => {
  t.strictSame(ask('/order/aggregate?select=,count(),,sum(a),').shape.select, [{ fn: 'count' }, { fn: 'sum', field: 'a' }]);
  t.strictSame(refusal('/order/aggregate?select=,'), [400, 'MISSING_AGGREGATE_SELECT']);
  t.end();
});
void t.test('select and groupBy mean nothing to a list but names to check', t => {
  t.strictSame(ask('/order?select=count()&groupBy=a').shape,
    { op: 'list', path: ['order'], limit: { param: 6, bucket: 64 }, checked: { select: [{ fn: 'count' }], groupBy: ['a'] } });
  t.end();
});
