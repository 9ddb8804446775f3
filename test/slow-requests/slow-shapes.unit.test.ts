import { test } from 'tap';
import { countRows } from '../../gateway/features/slow-requests/count-rows.ts';
import { slowShape, SlowShapes } from '../../gateway/features/slow-requests/slow-shapes.ts';

const request = { durationMs: 5, waitedMs: 1, databaseMs: 2, rows: 3, status: 200, requestId: 'x' };
const shapeOf = (n: number, durationMs: number) =>
  slowShape({ method: 'GET', route: `/r/${n}`, collection: undefined, filter: [], sort: [], include: [] }, { ...request, durationMs });

test('rows of a list are counted past all that looks like one', t => {
  const rows = [{ a: '},{"]\\"' }, { b: [1, { c: [] }] }, { d: '\\' }, {}, []];
  for (let n = 0; n <= rows.length; n++) {
    const list = JSON.stringify({ data: rows.slice(0, n), meta: { total: 9, more: [1, 2, 3] } });
    t.equal(countRows(Buffer.from(list)), n, list);
  }
  t.equal(countRows(Buffer.from('{"id":1,"data":[1,2]}')), 1);
  t.equal(countRows(Buffer.from('{}')), 1);
  t.equal(countRows(Buffer.from('')), 0);
  t.end();
});

test('equal shapes are summed, and the slowest request of each stays', t => {
  const shapes = new SlowShapes();
  shapes.add([shapeOf(1, 10), shapeOf(1, 30), shapeOf(1, 20), shapeOf(2, 5)]);
  const [first, second] = shapes.take();
  t.match(first, { requests: 3, totalMs: 60, slowest: { durationMs: 30 } });
  t.match(second, { requests: 1, totalMs: 5 });
  t.same(shapes.take(), []);
  t.end();
});

test('of too many shapes those that took the most time stay', t => {
  const shapes = new SlowShapes();
  shapes.add(Array.from({ length: 300 }, (_, n) => shapeOf(n, n)));
  shapes.add([shapeOf(1_000, 0)]);
  t.same(shapes.take().map(({ totalMs }) => totalMs).sort((a, b) => a - b), Array.from({ length: 200 }, (_, n) => n + 100));
  t.end();
});

test('the hour of a slow request begins with the hour, however the clock moves on', t => {
  const [clock, hour] = [Date.now, 3_600_000];
  let now = 5 * hour;
  t.teardown(() => { Date.now = clock; });
  Date.now = () => now++;
  t.equal(shapeOf(1, 10).hour, 5 * hour);
  t.end();
});
