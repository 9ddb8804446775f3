import t from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { segmentsOf } from '../../gateway/grammar/path.ts';
import { readBody, type Body } from '../../gateway/grammar/write/body.ts';
import { parseWrite } from '../../gateway/grammar/write/request.ts';
import type { ParsedWrite } from '../../gateway/grammar/write/shape.ts';
import { parseTarget } from '../../gateway/grammar/write/target.ts';
import { refusal as readRefusal } from './ask.ts';

/** Parses a write below `/data`, its query and its body exactly as written. */
function ask(request: string, text = '{}', prefer = ''): ParsedWrite {
  const [method = '', url = ''] = request.split(' ');
  const [path = '', query = ''] = url.split('?');
  const target = parseTarget(method, segmentsOf(path.slice(1)));
  const body = target.op === 'delete' && target.of === 'row' ? undefined : readBody(Buffer.from(text), target.of) as Body;
  return parseWrite(target, query, { prefer, idempotencyKey: '', ifMatch: '' }, body, { bulk: 1000, batch: 1000, answer: 1_000_000 });
}

function refusal(request: string): [status: number, code: string, details?: unknown] {
  try {
    ask(request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details ? [error.status, error.code, error.details] : [error.status, error.code];
  }
  throw new Error(`${request} was not refused`);
}

void t.test('a write is its shape, its path and the request as it is sent on', t => {
  t.strictSame(ask('POST /album', '{"title":"x","artistId":1}'), {
    of: 'row', shape: { op: 'create', collection: 'album', body: ['artistId', 'title'] },
    path: ['album'],
    text: '{"op":"create","path":["album"],"body":{"title":"x","artistId":1}}',
  });
  t.strictSame(ask('PATCH /album/a%2Fb?fields=title,+artistId', ' {"title":"x"}\n', 'return=minimal'), {
    of: 'row', shape: { op: 'update', collection: 'album', body: ['title'], fields: ['title', 'artistId'], return: 'minimal' },
    path: ['album', 'a/b'],
    text: '{"op":"update","path":["album","a/b"],"fields":["title","artistId"],"return":"minimal","body":{"title":"x"}}',
  });
  t.strictSame(ask('DELETE /album/1?hard=true', '', 'return=minimal'), {
    of: 'row', shape: { op: 'delete', collection: 'album', hard: true }, path: ['album', '1'],
    text: '{"op":"delete","path":["album","1"],"hard":true}',
  });
  t.strictSame(ask('PUT /album/1').shape, ask('PATCH /album/1').shape);
  t.end();
});

void t.test('writes that differ in values and in the order of names have one shape', t => {
  t.strictSame(ask('POST /album', '{"a":1,"b":2}').shape, ask('POST /album', '{"b":null,"a":"x"}').shape);
  t.strictSame(ask('PATCH /album/1', '{"a":1}').shape, ask('PATCH /album/2', '{"a":2}').shape);
  t.end();
});

void t.test('a body goes on as it was sent, a blank one as an empty object', t => {
  t.match(ask('POST /album', '{"n":12345678901234567890.10}').text, '"body":{"n":12345678901234567890.10}}');
  t.match(ask('POST /album', '').text, '"body":{}}');
  t.end();
});

void t.test('a write refuses paths and queries that a read refuses', t => {
  const alike: [write: string, read: string][] = [
    ['PATCH /album/1?fields=%', '/album/1?fields=%'],
    ['PATCH /album/1?fields=%ff', '/album/1?fields=%ff'],
    ['POST /album?fields=a%', '/album?fields=a%'],
    ['POST /album?%E0%A4%A=x', '/album?%E0%A4%A=x'],
    ['PATCH /album/1?fields=a%00', '/album/1?fields=a%00'],
    ['POST /album?fields=%ud800', '/album?fields=%ud800'],
    ['DELETE /album/1?hard=1', '/album/1?hard=1'],
    ['DELETE /album/1?hard=TRUE', '/album/1?hard=TRUE'],
    ['DELETE /album/1?hard=tr%', '/album/1?hard=tr%'],
    ['PATCH /album/undefined', '/album/undefined'],
    ['DELETE /album/%00', '/album/%00'],
    ['PATCH /album/', '/album/'],
    ['POST /undefined', '/undefined'],
  ];
  for (const [write, read] of alike) t.strictSame(refusal(write), readRefusal(read), write);
  t.end();
});

void t.test('a write ignores parameters that a read ignores', t => {
  for (const query of ['fields=', 'fields=,+,', 'fields=a&fields=', 'limit=&hard=&on_conflict=', '&&']) {
    t.strictSame(ask(`PATCH /album/1?${query}`), ask('PATCH /album/1'), query);
  }
  t.strictSame(ask('PATCH /album/1?fields=a,,b,a').shape.fields, ['a', 'b']);
  t.strictSame(ask('PATCH /album/1?fields=a&fields=b').shape.fields, ['b'], 'the last one wins');
  t.strictSame(ask('DELETE /album/1?hard=&hard=false'), ask('DELETE /album/1'));
  t.end();
});

void t.test('parameters without a meaning in a write are refused by name', t => {
  t.strictSame(refusal('POST /album?limit=1'), [400, 'INVALID_PARAM', { parameter: 'limit' }]);
  t.strictSame(refusal('PATCH /album/1?hard=true'), [400, 'INVALID_PARAM', { parameter: 'hard' }]);
  t.strictSame(refusal('DELETE /album/1?fields=a'), [400, 'INVALID_PARAM', { parameter: 'fields' }]);
  t.strictSame(refusal('DELETE /album/1?title=eq.x'), [400, 'INVALID_PARAM', { parameter: 'title' }]);
  for (const request of ['PATCH /album/1?on_conflict=id', 'POST /album/bulk?on_conflict=id', 'POST /_batch?on_conflict=id']) {
    t.strictSame(refusal(request), [400, 'INVALID_PARAM', { parameter: 'on_conflict' }], request);
  }
  t.end();
});

void t.test('the first mention of a preference counts, in any case and with blanks', t => {
  const isMinimal = (prefer: string) => ask('POST /album', '{}', prefer).shape.return === 'minimal';
  for (const prefer of ['return=minimal', 'Return = "Minimal"', 'count=none, return=minimal; a=b']) t.ok(isMinimal(prefer), prefer);
  for (const prefer of ['', 'return', 'return=representation', 'return=representation, return=minimal']) t.notOk(isMinimal(prefer), prefer);
  t.end();
});

void t.test('an upsert names what is unique, and its order makes no other shape', t => {
  t.strictSame(ask('POST /album?on_conflict=title,artistId').shape.conflict, ['artistId', 'title']);
  t.strictSame(ask('POST /album?onConflict=id', '{"id":1}').text, '{"op":"create","path":["album"],"conflict":["id"],"body":{"id":1}}');
  t.equal(ask('POST /album?on_conflict=').shape.conflict, undefined);
  t.end();
});

void t.test('the shape of many rows has every name, and those that some leave out', t => {
  const shape = (request: string, body: unknown) => ask(request, typeof body === 'string' ? body : JSON.stringify(body)).shape;
  t.strictSame(shape('POST /album/bulk', { rows: [{ b: 1, a: { x: 1 } }, { a: [{ y: 1 }] }, { c: 1, a: 1 }] }),
    { op: 'create', collection: 'album', body: ['a', 'b', 'c'], bulk: { list: 'rows', sometimes: ['b', 'c'] } });
  t.strictSame(shape('PATCH /album/bulk', { updates: [{ id: 1, data: { a: 1, b: { data: { z: 1 } } } }, { data: { a: 2 }, id: 2 }] }),
    { op: 'update', collection: 'album', body: ['a', 'b'], bulk: { list: 'updates', apart: true, sometimes: ['b'] } });
  t.strictSame(shape('PUT /album/bulk', { items: [{ id: 1, a: 1 }, { id: 2, data: 3, a: 1 }] }),
    { op: 'update', collection: 'album', body: ['a', 'data'], bulk: { list: 'items', sometimes: ['data'] } });
  t.strictSame(shape('POST /album/bulk/delete?hard=true', { ids: [1, { id: 2 }] }),
    { op: 'delete', collection: 'album', hard: true, bulk: { list: 'ids' } });
  t.strictSame(shape('POST /album/bulk', '{"upsert" : true ,"rows":[{"a":1,"a":2}], "onConflict":["b","a"] }'),
    { op: 'create', collection: 'album', body: ['a'], conflict: ['a', 'b'], bulk: { list: 'rows' } });
  t.strictSame(shape('POST /album/bulk', { rows: [], upsert: true }),
    { op: 'create', collection: 'album', body: [], conflict: [], bulk: { list: 'rows' } });
  for (const body of [{}, { rows: [], items: [] }, { updates: [] }, { rows: [], other: 1 }, { rows: [], onConflict: ['a'] },
    { rows: [], upsert: 'yes' }, { rows: [], upsert: true, onConflict: 'a' },
    '{"rows":[],"a,b":1}', `{"rows":[],"upsert":true,"onConflict":["${'x'.repeat(9000)}"]}`]) {
    t.equal(shape('POST /album/bulk', body).bulk, undefined, 'left to service_private.write');
  }
  t.strictSame(ask('POST /album/bulk?fields=a', '{"rows":[{"a":1.10}]}').text,
    '{"op":"create","path":["album"],"bulk":true,"fields":["a"],"bounds":{"items":1000,"answer":1000000},"body":{"rows":[{"a":1.10}]}}');
  t.strictSame(ask('POST /_batch', '{"operations":[]}', 'return=minimal').text,
    '{"op":"batch","return":"minimal","bounds":{"items":1000,"answer":1000000},"body":{"operations":[]}}');
  t.end();
});

void t.test('a path leads to related rows, and its shape to where its ids stand', t => {
  const shape = (request: string, body: unknown = {}) => ask(request, JSON.stringify(body)).shape;
  t.strictSame(shape('POST /artist/1/album', { title: 'x' }),
    { op: 'create', collection: 'artist', path: ['artist', 1, 'album'], body: ['title'] });
  t.strictSame(shape('PATCH /artist/1/album/2/track/3', {}),
    { op: 'update', collection: 'artist', path: ['artist', 1, 'album', 3, 'track'], body: [] });
  t.strictSame(shape('DELETE /artist/1/album/2'), { op: 'delete', collection: 'artist', path: ['artist', 1, 'album'] });
  t.equal(ask('DELETE /artist/1/album/2').text, '{"op":"delete","path":["artist","1","album","2"]}');
  for (const request of [
    'POST /artist/1/album/2', 'PATCH /artist/1/album', 'DELETE /artist/1/album', 'PATCH /_batch', 'POST /_batch/1', 'POST /album/bulk/1',
    'PATCH /album/bulk/delete',
  ]) t.strictSame(refusal(request), [404, 'NOT_FOUND'], request);
  for (const method of ['PATCH', 'PUT', 'DELETE']) t.strictSame(refusal(`${method} /album`), [404, 'NOT_FOUND'], method);
  t.end();
});
