import t from 'tap';
import { ask, refusal } from './ask.ts';

void t.test('an odd number of segments is a list, an even number one row', t => {
  t.strictSame(ask('/album').shape, { op: 'list', path: ['album'], limit: { param: 6, bucket: 64 } });
  t.strictSame(ask('/album/7'), { shape: { op: 'get', path: ['album', 6] }, values: ['7'], sources: [{ kind: 'id' }] });
  t.strictSame(ask('/artist/1/album').shape.path, ['artist', 6, 'album']);
  t.strictSame(ask('/artist/1/album/9'), {
    shape: { op: 'get', path: ['artist', 6, 'album', 7] }, values: ['1', '9'], sources: [{ kind: 'id' }, { kind: 'id' }],
  });
  t.end();
});

void t.test('count and aggregate in the place of an id are operations', t => {
  t.strictSame(ask('/album/count').shape, { op: 'count', path: ['album'] });
  t.strictSame(ask('/artist/1/album/count').shape, { op: 'count', path: ['artist', 6, 'album'] });
  t.strictSame(ask('/artist/1/album/aggregate?select=count()').shape,
    { op: 'aggregate', path: ['artist', 6, 'album'], select: [{ fn: 'count' }] });
  t.equal(ask('/artist/1/count').shape.op, 'list', 'a relation may be called count');
  t.equal(ask('/count').shape.op, 'list', 'so may a collection');
  t.end();
});

void t.test('two requests that differ in values only have one shape', t => {
  t.strictSame(ask('/album?artistId=1&title=x&limit=20').shape, ask('/album?artistId=2&title=y&limit=31').shape);
  t.strictSame(ask('/album?artistId=in.(1,2)').shape, ask('/album?artistId=in.(1,2,3,4)').shape);
  t.end();
});

void t.test('a path that cannot name anything is 404', t => {
  for (const path of ['/undefined', '/album/undefined', '/album/', '/album/%00', '/al%00bum', '/album/1/undefined/2']) {
    t.strictSame(refusal(path), [404, 'NOT_FOUND'], path);
  }
  t.end();
});

void t.test('an id is text as sent, of any content', t => {
  t.strictSame(ask('/album/a%2Fb%20%22c').values, ['a/b "c']);
  t.end();
});
