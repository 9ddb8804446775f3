import t from 'tap';
import { ask, cursor, json, refusal } from './ask.ts';

const everyRead = ['/album', '/album/1', '/album/count', '/artist/1/album', '/album/aggregate'];

void t.test('values are numbered in one order, independent of the query\'s order', t => {
  const token = cursor([], ['1']);
  const query = `limit=3&include=${json({ a: { limit: 4 } })}&searchString=s&or=(l.eq.l)&where=${json({ w: 'w' })}&f=f`;
  t.strictSame(ask(`/p/id/album?${query}&after=${token}`).values, ['id', 'f', 'w', 'l', 's', '4', '3', token]);
  t.strictSame(ask(`/p/id/album?${query}&offset=9&vector_search=e&vector_threshold=1&vector=[2]`).values,
    ['id', 'f', 'w', 'l', 's', '[2]', '1', '4', '3', '9']);
  t.strictSame(ask('/p/id/album?offset=9&vector_search=e&vector_threshold=1&vector=[2]&f=f&searchString=s').sources, [
    { kind: 'id' }, { kind: 'filter', field: 'f' }, { kind: 'search' }, { kind: 'vector' }, { kind: 'vector' }, { kind: 'limit' },
    { kind: 'offset' },
  ]);
  t.end();
});

void t.test('one row takes filters, search, fields, includes and deleted; the rest is only checked', t => {
  t.strictSame(ask('/album/1?a=x&or=(b.eq.1)&fields=a&include=r&deleted=include&distinct=true&searchString=s&limit=5&orderBy=a').shape, {
    op: 'get', path: ['album', 6], where: { a: [['==', 7]] }, logical: { type: 'or', conditions: [{ column: 'b', condition: ['==', 8] }] },
    search: { param: 9 }, deleted: 'include', fields: ['a'], include: { r: {} },
    checked: { distinct: true, orderBy: [{ field: 'a', direction: 'asc' }] },
  });
  t.end();
});

void t.test('the last of a repeated reserved key wins, and an empty one is absent', t => {
  t.strictSame(ask('/album?limit=x&limit=5').values, ['5']);
  t.strictSame(ask('/album?limit=5&limit=').values, ['50']);
  const empty = ['limit', 'offset', 'page', 'after', 'orderBy', 'include', 'fields', 'distinct', 'searchString', 'searchExplain',
    'vector_search', 'vector',
    'vector_distance', 'vector_threshold', 'or', 'and', 'not', 'where', 'select', 'groupBy', 'deleted', 'hard', 'explain', 'on_conflict',
    'onConflict'];
  t.strictSame(ask(`/album?${empty.map(key => `${key}=`).join('&')}`), ask('/album'));
  t.strictSame(ask(`/album?&&${empty.join('&')}&`), ask('/album'));
  t.end();
});

void t.test('keys reserved for other purposes filter nothing', t => {
  t.strictSame(ask('/album?explain=false&on_conflict=a&onConflict=b&hard=true'), ask('/album'));
  t.strictSame(ask('/album?explain=true'), { ...ask('/album'), explain: true }, 'a plan is another answer to the same shape');
  t.strictSame(refusal('/album/1?explain=1'), [400, 'INVALID_PARAM', { parameter: 'explain', value: '1' }]);
  t.end();
});

void t.test('fields are a list of names, each once', t => {
  t.strictSame(ask('/album?fields=id, name,,id').shape.fields, ['id', 'name']);
  t.strictSame(ask('/album/1?fields=id').shape.fields, ['id']);
  t.notOk('fields' in ask('/album?fields=,').shape);
  t.notOk('fields' in ask('/album/count?fields=id').shape);
  t.strictSame(refusal('/album?fields=a%00'), [400, 'INVALID_PARAM', { parameter: 'fields' }]);
  t.end();
});

void t.test('distinct is true or false; a count of distinct rows knows their fields', t => {
  for (const value of ['true', '1']) t.equal(ask(`/album?distinct=${value}`).shape.distinct, true);
  for (const value of ['false', '0']) t.notOk('distinct' in ask(`/album?distinct=${value}`).shape);
  t.strictSame(ask('/album/count?distinct=true&fields=a').shape, { op: 'count', path: ['album'], fields: ['a'], distinct: true });
  for (const path of everyRead) {
    for (const distinct of ['yes', 'TRUE', '2']) {
      t.strictSame(refusal(`${path}?distinct=${distinct}&select=count()`), [400, 'INVALID_DISTINCT', { distinct }]);
    }
  }
  t.end();
});

void t.test('a distinct read is ordered by what it returns, and neither ranked by distance nor continued', t => {
  t.ok(ask('/album?distinct=true&fields=a,b&orderBy=b').shape.distinct);
  t.ok(ask('/album?distinct=true&orderBy=b').shape.distinct, 'everything is returned');
  t.strictSame(refusal('/album?distinct=true&vector_search=e&vector=[1]'),
    [400, 'DISTINCT_NOT_APPLICABLE', { parameter: 'vector_search' }]);
  t.strictSame(refusal(`/album?distinct=true&fields=a&after=${cursor([], ['1'])}`),
    [400, 'DISTINCT_NOT_APPLICABLE', { parameter: 'after' }]);
  t.end();
});

void t.test('deleted and hard take exactly their words', t => {
  for (const value of ['include', 'only'] as const) {
    for (const path of everyRead) t.equal(ask(`${path}?deleted=${value}&select=count()`).shape.deleted, value);
  }
  for (const path of everyRead) {
    for (const deleted of ['true', 'INCLUDE', 'exclude']) {
      t.strictSame(refusal(`${path}?select=count()&deleted=${deleted}`), [400, 'INVALID_DELETED_PARAM', { deleted }]);
    }
    for (const hard of ['1', 'TRUE', 'x']) {
      t.strictSame(refusal(`${path}?select=count()&hard=${hard}`), [400, 'INVALID_HARD_PARAM', { hard }]);
    }
  }
  t.end();
});

void t.test('a search is one value; searchExplain asks for matches', t => {
  t.strictSame(ask('/album?searchString=black+%22in+rock%22').shape.search, { param: 6 });
  t.strictSame(ask('/album?searchString=black+%22in+rock%22').values[0], 'black "in rock"');
  t.strictSame(ask('/album?searchString=x&searchExplain=true').shape.search, { param: 6, explain: true });
  t.strictSame(ask('/album/count?searchString=x&searchExplain=1').shape.search, { param: 6 });
  t.notOk('search' in ask('/album?searchString=+&searchExplain=true').shape, 'white space is no search');
  t.strictSame(refusal('/album?searchString=%00'), [400, 'INVALID_FILTER_VALUE', { parameter: 'searchString', dbCode: '22021' }]);
  t.end();
});

void t.test('a vector search: property, vector, distance, threshold', t => {
  t.strictSame(ask('/album?vector_search=e&vector=[1, 2.50,-3e-2]').shape.vector, { property: 'e', param: 6, distance: 'cosine' });
  t.strictSame(ask('/album?vector_search=e&vector=[1, 2.50,-3e-2]').values[0], '[1,2.5,-0.03]');
  t.strictSame(ask('/album/count?vector_search=e&vector=[1]&vector_distance=inner_product&vector_threshold=-.5').shape.vector,
    { property: 'e', param: 6, distance: 'inner_product', threshold: 7 });
  t.strictSame(ask('/album?vector=[1]&vector_distance=l2&vector_threshold=1'), ask('/album'), 'no search without vector_search');
  t.end();
});

void t.test('malformed vector parameters are refused, on every read', t => {
  for (const path of everyRead) {
    for (const vector of ['x', '[]', '{}', '5', '[1,"2"]', '[1,null]', '[1e999]', '[', '[[1]]']) {
      t.strictSame(refusal(`${path}?select=count()&vector=${vector}`), [400, 'INVALID_VECTOR'], vector);
    }
    t.strictSame(refusal(`${path}?select=count()&vector_search=e`), [400, 'INVALID_VECTOR']);
    t.match(refusal(`${path}?select=count()&vector_distance=L2`), [400, 'INVALID_VECTOR_DISTANCE', { distance: 'L2' }]);
    for (const threshold of ['x', '1,5', '0x1', 'Infinity', '-', '1e999', ' 1']) {
      t.strictSame(refusal(`${path}?select=count()&vector_threshold=${threshold}`), [400, 'INVALID_VECTOR_THRESHOLD', { threshold }]);
    }
  }
  t.strictSame(refusal('/album?vector_search=e%00&vector=[1]'), [400, 'INVALID_PARAM', { parameter: 'vector_search' }]);
  t.end();
});

void t.test('Prefer may waive the exact total of a list', t => {
  const count = (prefer: string, url = '/album') => ask(url, prefer).shape.count;
  t.equal(count('count=none'), 'none');
  t.equal(count('return=minimal, Count = "estimated"; x=1'), 'estimated');
  for (const prefer of ['', 'count=exact', 'count', 'count=some', 'return=minimal', 'discount=none', 'count=exact, count=none']) {
    t.equal(count(prefer), undefined, prefer);
  }
  t.equal(count('count=none', '/album/1?fields=a'), undefined);
  t.equal(count('count=none', '/album/count'), undefined);
  t.end();
});
