import t from 'tap';
import { ask, cursor, refusal } from './ask.ts';

const byName = cursor([['name', 'asc', 'last']], ['Abba', '7']);

void t.test('a cursor is one value, and its form is part of the shape', t => {
  t.strictSame(ask(`/album?after=${byName}&limit=5`), {
    shape: {
      op: 'list',
      path: ['album'],
      orderBy: [{ field: 'name', direction: 'asc' }],
      limit: { param: 6, bucket: 8 },
      after: { param: 7, keys: [['name', 'asc', 'last']], nulls: [false] },
    },
    values: ['5', byName],
    sources: [{ kind: 'limit' }, { kind: 'cursor' }],
  });
  const other = cursor([['name', 'asc', 'last']], ['ZZ Top', '9']);
  t.strictSame(ask(`/album?after=${other}&limit=7`).shape, ask(`/album?after=${byName}&limit=5`).shape);
  t.end();
});

void t.test('which of the last values were null decides the statement', t => {
  const token = cursor([['a', 'asc', 'first'], ['b', 'desc', 'first']], ['x', null, '1', '2']);
  t.strictSame(ask(`/album?after=${token}`).shape.after,
    { param: 7, keys: [['a', 'asc', 'first'], ['b', 'desc', 'first']], nulls: [false, true] });
  t.end();
});

void t.test('a request without an order adopts the cursor’s', t => {
  const token = cursor([['a', 'asc', 'first'], ['b', 'desc', 'first']], ['x', 'y', '1']);
  t.strictSame(ask(`/album?after=${token}`).shape.orderBy,
    [{ field: 'a', direction: 'asc', nulls: 'first' }, { field: 'b', direction: 'desc' }]);
  t.strictSame(ask(`/album?after=${token}&orderBy=[]`).shape.orderBy, ask(`/album?after=${token}`).shape.orderBy);
  const unordered = ask(`/album?after=${cursor([], ['7'])}`).shape;
  t.notOk('orderBy' in unordered);
  t.strictSame(unordered.after, { param: 7, keys: [], nulls: [] });
  t.end();
});

void t.test('an order must be the cursor’s, in effect', t => {
  for (const orderBy of ['name', 'name:ASC', 'name:asc:last', '[{"field":"name","nulls":"last"}]']) {
    t.strictSame(ask(`/album?after=${byName}&orderBy=${orderBy}`).shape.after?.keys, [['name', 'asc', 'last']], orderBy);
  }
  for (const orderBy of ['title', 'name:desc', 'name:asc:first', '["name","id"]']) {
    t.strictSame(refusal(`/album?after=${byName}&orderBy=${orderBy}`).slice(0, 2), [400, 'CURSOR_ORDER_MISMATCH'], orderBy);
  }
  t.strictSame(refusal(`/album?after=${cursor([], ['7'])}&orderBy=name`).slice(0, 2), [400, 'CURSOR_ORDER_MISMATCH']);
  t.strictSame(refusal(`/album?after=${byName}&orderBy=title`)[2], {
    orderBy: [{ field: 'title', direction: 'asc' }], cursor: [{ field: 'name', direction: 'asc' }],
  });
  t.end();
});

void t.test('a cursor stands alone', t => {
  for (const other of ['offset=0', 'offset=5', 'page=1', 'page=2']) {
    t.strictSame(refusal(`/album?after=${byName}&${other}`), [400, 'CURSOR_WITH_OFFSET'], other);
  }
  t.strictSame(refusal(`/album?after=${byName}&vector_search=e&vector=[1]`), [400, 'VECTOR_CURSOR_UNSUPPORTED']);
  t.strictSame(refusal(`/album?after=${byName}&orderBy=_score:desc`), [400, 'SCORE_CURSOR_UNSUPPORTED', { field: '_score' }]);
  t.end();
});

void t.test('foreign cursors are refused, on every read', t => {
  const encode = (text: string) => `${Buffer.from(text).toString('base64url')}.bWFj`;
  const forged = [
    'x', 'x.', '.x', 'a.b', 'a.b.c', byName.replace('.', ''), `${byName}.x`, `${byName}!`, encode('5'), encode('null'), encode('{}'),
    encode('[]'), encode('['.repeat(5000)), cursor('x', ['1']), cursor([], 'x'), cursor([], []), cursor([['name', 'asc', 'last']], []),
    cursor([['name', 'asc']], ['a', '1']), cursor([['name', 'up', 'last']], ['a', '1']), cursor([['name', 'asc', 'x']], ['a', '1']),
    cursor([[5, 'asc', 'last']], ['a', '1']), cursor([['name', 'asc', 'last']], [5, '1']), cursor([['name', 'asc', 'last']], ['a', null]),
    cursor([['na\0me', 'asc', 'last']], ['a', '1']), cursor([null], ['a', '1']), cursor([['name', 'asc', 'last']], ['a'.repeat(9000), '1']),
  ];
  for (const token of forged) {
    for (const path of ['/album', '/album/count', '/album/1']) {
      t.strictSame(refusal(`${path}?after=${token}`), [400, 'INVALID_CURSOR'], token.slice(0, 60));
    }
  }
  t.end();
});

void t.test('an empty cursor is the first page', t => {
  t.notOk('after' in ask('/album?after=&offset=3').shape);
  t.end();
});
