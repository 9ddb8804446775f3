import t from 'tap';
import { ask, refusal } from './ask.ts';
import { parseRead } from '../../gateway/grammar/read/request.ts';

/** The limit, its bucket and the offset of a list. */
function page(query: string): unknown[] {
  const { shape, values } = ask(`/album?${query}`);
  const value = (number: number | undefined) => number === undefined ? undefined : values[number - 6];
  return [value(shape.limit?.param), shape.limit?.bucket, value(shape.offset)];
}

void t.test('the limit is exact; its bucket is a power of two with room for one row more', t => {
  const buckets: [number, number][] = [
    [1, 2], [2, 4], [3, 4], [4, 8], [7, 8], [8, 16], [20, 32], [50, 64], [63, 64], [64, 128], [1000, 1024],
  ];
  for (const [limit, bucket] of buckets) t.strictSame(page(`limit=${limit}`), [String(limit), bucket, undefined]);
  t.strictSame(page('limit=007'), ['7', 8, undefined]);
  t.end();
});

void t.test('without a limit the default holds, for vector search 10', t => {
  t.strictSame(page(''), ['50', 64, undefined]);
  t.strictSame(page('limit='), ['50', 64, undefined]);
  t.strictSame(page('vector_search=e&vector=[1]'), ['10', 16, undefined]);
  t.strictSame(page('vector_search=e&vector=[1]&page=3'), ['10', 16, '20']);
  t.strictSame(parseRead(['album'], 'vector_search=e&vector=[1]', { defaultLimit: 2, maxLimit: 5, maxIncludeLimit: 5 }).values,
    ['[1]', '5']);
  t.end();
});

void t.test('an offset of none is no offset; a page strides by the limit and stands above an offset', t => {
  t.strictSame(page('offset=0'), ['50', 64, undefined]);
  t.strictSame(page('offset=30'), ['50', 64, '30']);
  t.strictSame(page('page=1'), ['50', 64, undefined]);
  t.strictSame(page('page=3'), ['50', 64, '100']);
  t.strictSame(page('page=3&limit=20'), ['20', 32, '40']);
  t.strictSame(page('page=2&offset=7&limit=5'), ['5', 8, '5']);
  t.end();
});

void t.test('nothing is clamped or ignored, on any read', t => {
  for (const path of ['/album', '/album/1', '/album/count', '/artist/1/album']) {
    for (const limit of ['0', '-1', '1.5', 'x', '1001', '1e2', ' 5', '0x10', '9'.repeat(400)]) {
      t.strictSame(refusal(`${path}?limit=${limit}`), [400, 'INVALID_LIMIT', { parameter: 'limit', value: limit, maximum: 1000 }], limit);
    }
    for (const offset of ['-1', '1.5', 'abc', '9007199254740993']) {
      t.strictSame(refusal(`${path}?offset=${offset}`), [400, 'INVALID_OFFSET', { parameter: 'offset', value: offset }], offset);
    }
    for (const number of ['0', '-1', '1.5', 'abc', '9007199254740993']) {
      t.strictSame(refusal(`${path}?page=${number}`), [400, 'INVALID_PAGE', { parameter: 'page', value: number }], number);
    }
  }
  t.end();
});

void t.test('a row and a count are not paged', t => {
  t.strictSame(ask('/album/1?limit=5&offset=3').values, ['1']);
  t.strictSame(ask('/album/count?limit=5&page=3'), { shape: { op: 'count', path: ['album'] }, values: [], sources: [] });
  t.end();
});
