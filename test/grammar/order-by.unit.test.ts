import t from 'tap';
import { ask, json, refusal } from './ask.ts';

const order = (text: string): unknown => ask(`/album?orderBy=${text}`).shape.orderBy;

void t.test('the shorthand: field, direction, nulls', t => {
  t.strictSame(order('name'), [{ field: 'name', direction: 'asc' }]);
  t.strictSame(order('name:'), [{ field: 'name', direction: 'asc' }]);
  t.strictSame(order('name:DESC'), [{ field: 'name', direction: 'desc' }]);
  t.strictSame(order('name:asc:first'), [{ field: 'name', direction: 'asc', nulls: 'first' }]);
  t.strictSame(order('name:desc:last:'), [{ field: 'name', direction: 'desc', nulls: 'last' }]);
  t.strictSame(order('count(track.id):desc'), [{ field: 'count(track.id)', direction: 'desc' }]);
  t.end();
});

void t.test('the JSON array carries several keys, as objects or as shorthands', t => {
  t.strictSame(order(json([{ field: 'a' }, { field: 'b', direction: 'Desc', nulls: 'last' }])),
    [{ field: 'a', direction: 'asc' }, { field: 'b', direction: 'desc', nulls: 'last' }]);
  t.strictSame(order(json(['a:desc', 'b'])), [{ field: 'a', direction: 'desc' }, { field: 'b', direction: 'asc' }]);
  t.strictSame(order(json('a:desc')), [{ field: 'a', direction: 'desc' }]);
  t.strictSame(order(json([{ field: 'a,b:c' }])), [{ field: 'a,b:c', direction: 'asc' }], 'any name can be spelled in JSON');
  t.equal(order('[]'), undefined);
  t.end();
});

void t.test('placement that is the default anyway makes no second shape', t => {
  t.strictSame(order('name:asc:last'), order('name'));
  t.strictSame(order('name:desc:first'), order('name:desc'));
  t.end();
});

void t.test('the last of several wins', t => {
  t.strictSame(order('a&orderBy=b'), [{ field: 'b', direction: 'asc' }]);
  t.end();
});

void t.test('any other spelling is refused, on every read', t => {
  for (const text of ['{"field":"a"}', '5', 'true', 'null', 'a:asc,b:desc', 'a,b', 'a:up', 'a:asc:middle', 'a:asc:LAST', 'a:asc:last:x',
    ':desc',
    '[', '[5]', '[null]', '[["a","desc"]]', '[{}]', '[{"field":5}]', '[{"field":"a","direction":1}]', '[{"field":"a","nulls":"x"}]',
    '"a:up"',
    json(Array.from({ length: 33 }, () => 'a'))]) {
    for (const path of ['/album', '/album/1', '/album/count']) {
      t.strictSame(refusal(`${path}?orderBy=${text}`), [400, 'INVALID_ORDER_BY'], text);
    }
  }
  t.strictSame(refusal('/album?orderBy=a%00'), [400, 'INVALID_PARAM', { parameter: 'orderBy' }]);
  t.end();
});

void t.test('an unknown member of a sort key is refused with the known ones', t => {
  const validMembers = ['field', 'direction', 'nulls'];
  for (const [member, value] of [['ascending', false], ['order', 'desc'], ['Direction', 'desc'], ['nullsFirst', null]] as const) {
    const keys = json([{ field: 'a' }, { field: 'b', [member]: value }]);
    for (const path of ['/album', '/album/1', '/album/count', '/album/aggregate']) {
      t.strictSame(refusal(`${path}?select=count()&orderBy=${keys}`), [400, 'INVALID_ORDER_BY', { member, validMembers }], path);
    }
    const include = json({ tracks: { orderBy: [{ field: 'b', [member]: value }] } });
    t.strictSame(refusal(`/album?include=${include}`), [400, 'INVALID_INCLUDE', { member, validMembers }]);
  }
  t.end();
});

void t.test('a row and a count have no order', t => {
  t.notOk('orderBy' in ask('/album/1?orderBy=a').shape);
  t.notOk('orderBy' in ask('/album/count?orderBy=a').shape);
  t.end();
});
