// The history of a row: for callers that see the row, without fields that they may not read.
import { test } from 'tap';
import { openService, tokenFor } from '../harness/service.ts';
import { createHistorian, everyone, id, notes } from './history.ts';
import { collections } from './client.ts';

test('limit, offset and total', async t => {
  const { send, sql } = await createHistorian(t, [notes]);
  await sql`insert into notes (stars) values (0)`;
  for (let stars = 1; stars < 25; stars++) await sql`update notes set stars = ${stars}`;
  const page = async (query: string) => {
    const { body } = await send('GET', `notes/1/history${query}`);
    return [(body.data as { values: { stars: number } }[]).map(({ values }) => values.stars), body.meta];
  };
  const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => from - n);
  t.same(await page(''), [down(24, 5), { total: 25, limit: 20, offset: 0, hasMore: true }]);
  t.same(await page('?limit=2&offset=23'), [[1, 0], { total: 25, limit: 2, offset: 23, hasMore: false }]);
  t.same(await page('?limit=100'), [down(24, 0), { total: 25, limit: 100, offset: 0, hasMore: false }]);
  t.same(await page('?limit=1&offset=-3'), [[24], { total: 25, limit: 1, offset: 0, hasMore: true }]);
  t.same(await page('?limit=1&offset=x'), [[24], { total: 25, limit: 1, offset: 0, hasMore: true }]);
  t.same(await page('?offset=25'), [[], { total: 25, limit: 20, offset: 25, hasMore: false }]);
});

test('refusals', async t => {
  const { send, sql } = await createHistorian(t, [notes, { slug: 'plain', properties: { id }, securityRules: everyone }]);
  await sql`insert into notes (text) values ('one')`;
  await sql`insert into plain default values`;
  const cases: [path: string, status: number, code: string, details?: object][] = [
    ['notes/1/history?limit=101', 400, 'INVALID_LIMIT', { maximum: 100 }], ['notes/1/history?limit=0', 400, 'INVALID_LIMIT'],
    ['notes/1/history?limit=x', 400, 'INVALID_LIMIT'], ['notes/1/history?page=2', 400, 'INVALID_PARAM', { parameter: 'page' }],
    ['notes/1/history?text=one', 400, 'INVALID_PARAM', { parameter: 'text' }],
    ['plain/1/history', 400, 'BAD_REQUEST', { collection: 'plain' }], ['plain/2/history', 400, 'BAD_REQUEST'],
    ['nots/1/history', 404, 'NOT_FOUND'], ['notes/2/history', 404, 'NOT_FOUND', { collection: 'notes', id: '2' }],
    ['notes/x/history', 404, 'NOT_FOUND'], ['notes/undefined/history', 404, 'NOT_FOUND'],
    ['notes/1/history/x', 404, 'UNKNOWN_RELATION'],
  ];
  for (const [path, status, code, details] of cases) {
    const { body, ...answer } = await send('GET', path);
    t.same([answer.status, body.error.code], [status, code], path);
    if (details) t.match(body.error.details, details, path);
  }
  for (const id of [
    '%00', '%ED%A0%80', '%ff', '1e5', '1.0', '-1', '%EF%BC%91', '9'.repeat(30), 'x'.repeat(3000), "'%20or%201=1", '%27', '%22', '%5C',
    '1:::1', '%20', '%F0%9F%98%80',
  ]) {
    for (const path of [`notes/${id}/history`, `notes/1/history/${id}/revert`, `${id}/1/history`]) {
      const { status } = await send(path.endsWith('revert') ? 'POST' : 'GET', path);
      t.ok(status === 404 || status === 400, `${path}: ${status}`);
    }
  }
  t.equal((await send('GET', 'notes/1/history', undefined, { as: null })).status, 401);
  for (const method of ['POST', 'PATCH', 'DELETE'] as const) t.not((await send(method, 'notes/1/history', {})).status, 200, method);
});

test('only for callers that see the row, trashed ones too', async t => {
  const { send, sql, historyOf } = await createHistorian(t, [{
    ...notes, softDelete: true, properties: { ...notes.properties, owner: { type: 'string' }, deletedAt: { type: 'date' } },
    securityRules: [{ ownerField: 'owner' }],
  }]);
  await sql`insert into notes (text, owner) values ('secret of ann', 'ann')`;
  const [ann, bob] = [await tokenFor('ann'), await tokenFor('bob')];
  t.equal((await historyOf('notes/1', ann)).length, 1);
  const hidden = await send('GET', 'notes/1/history', undefined, { as: bob });
  t.equal(hidden.status, 404);
  t.notMatch(hidden.text, /secret/);
  t.equal((await send('DELETE', 'notes/1', undefined, { as: ann })).status, 204);
  t.same((await historyOf('notes/1', ann)).map(({ action }) => action), ['delete', 'create']);
  t.equal((await send('GET', 'notes/1/history', undefined, { as: bob })).status, 404);
  await sql`update notes set owner = 'bob', deleted_at = null`;
  t.equal((await historyOf('notes/1', bob)).length, 3, 'who sees the row sees what became of it');
  t.equal((await send('GET', 'notes/1/history', undefined, { as: ann })).status, 404);
});

test('fields that a caller may not read are in no snapshot, whenever they were closed', async t => {
  const { send, sql, historyOf } = await createHistorian(t, [{
    ...notes, callbacks: { afterRead: { function: 'app.mask', masks: ['card'] } },
    properties: {
      id, text: { type: 'string' }, wage: { type: 'number', columnName: 'pay', access: { read: ['boss'] } },
      none: { type: 'string', access: { read: [] } }, card: { type: 'string' },
    },
  }], { setup: `create schema app; create function app.mask(r json) returns json language sql
    as $$ select (r::jsonb || '{"card": "***"}')::json $$` });
  await sql`insert into notes (text, pay, none, card) values ('one', 10, 'nobody''s', 'a card')`;
  await sql`update notes set pay = 20, none = 'n2', card = 'c2'`;
  await sql`update notes set text = 'two', pay = 30`;
  const [ann, boss] = [await tokenFor('ann'), await tokenFor('boss', ['boss'])];
  t.same((await historyOf('notes/1', ann)).map((
    { changed_fields: changed, values, previous_values: before },
  ) => [changed, values, before]), [
    [['text'], { id: 1, text: 'two' }, { id: 1, text: 'one' }], [[], { id: 1, text: 'one' }, { id: 1, text: 'one' }],
    [null, { id: 1, text: 'one' }, null],
  ]);
  t.same((await historyOf('notes/1', boss)).map(({ changed_fields: changed, values }) => [changed, values]), [
    [['text', 'wage'], { id: 1, text: 'two', wage: 30 }], [['wage'], { id: 1, text: 'one', wage: 20 }],
    [null, { id: 1, text: 'one', wage: 10 }],
  ]);
  t.notMatch((await send('GET', 'notes/1/history')).text, /none|card|nobody|\*/, 'not the service key either');
});

test('every type as rows show it', async t => {
  const { send, sql } = await createHistorian(t, [{
    ...notes, properties: {
      id: { type: 'string', isId: 'uuid' }, big: { type: 'number' }, ratio: { type: 'number', columnType: 'real' },
      flag: { type: 'boolean' }, at: { type: 'date' }, day: { type: 'date', mode: 'date' }, hour: { type: 'date', columnType: 'time' },
      list: { type: 'array', of: { type: 'string' } }, map: { type: 'map' }, json: { type: 'map', columnType: 'json' },
      place: { type: 'geopoint' }, bytes: { type: 'binary' }, kind: { type: 'string', enum: ['a', 'b'] },
      wide: { type: 'string', columnType: 'char', validation: { length: 3 } },
      ...Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${n}`, { type: 'number', columnType: 'integer' }])),
    },
  }]);
  const values = `'12345678901234567890.1200', 0.1, true, '2020-01-01 00:00:00.12+00', '2020-02-02', '10:11', '{a,"b c"}', '{"$inc": 1, `
    + `"a": [1.50, null]}', '{"b":1,"a":2,"a":3}', '{"lat": 1}', '\\x00ff', 'b', 'x', 7, 8`;
  const [row] = await sql.unsafe(`insert into notes (big, ratio, flag, at, day, hour, list, map, json, place, bytes, kind, wide, f0, f119)
    values (${values}) returning id`);
  const path = `notes/${String(row?.['id'])}`;
  const shown = (await send('GET', path)).text;
  const [entry] = (await send('GET', `${path}/history`)).body.data as { values: object; entity_id: string }[];
  t.same(entry?.values, JSON.parse(shown));
  t.equal(entry?.entity_id, row?.['id']);
  t.match((await send('GET', `${path}/history`)).text, /"big" : 12345678901234567890\.1200.*"json" : \{"b":1,"a":2,"a":3\}/s,
    'every digit, and json as it was stored');
  await sql`update notes set json = ${'{"nul": "\\u0000"}'}::text::json, at = 'infinity', big = 'NaN'`;
  t.match((await send('GET', `${path}/history`)).text, /"big" : "NaN".*"at" : "infinity".*"json" : \{"nul": "\\u0000"\}/s,
    'and what jsonb cannot hold does not keep a row from being written');
  await sql`update service.history set snapshot = snapshot || '{"json": {"was": "jsonb"}}'`;
  t.match((await send('GET', `${path}/history`)).body.data[0].values.json, { was: 'jsonb' });
  await sql`update service.history set snapshot = snapshot || '{"json": "text once"}'`;
  t.equal((await send('GET', `${path}/history`)).body.data[0].values.json, 'text once');
});

test('a property that came later is absent from older entries, one that is gone from all', async t => {
  const { sql, url, close } = await createHistorian(t, [notes]);
  await sql`insert into notes (text, stars) values ('one', 1)`;
  await close();
  const later = await openService(url, { SERVICE_COLLECTIONS_DIR: collections(t,
    { ...notes, properties: { id, title: { type: 'string', columnName: 'text' }, more: { type: 'string', defaultValue: 'x' } } }) });
  t.teardown(later.close);
  await sql`update notes set text = 'two'`;
  t.same((await later.request('/data/notes/1/history')).body.data.map((entry: { values: object }) => entry.values),
    [{ id: 1, title: 'two', more: 'x' }, { id: 1, title: 'one' }]);
});

test('SERVICE_HISTORY=false: nothing is written and nothing served, until it is on again', async t => {
  const { sql, url, close, send } = await createHistorian(t, [notes]);
  await send('POST', 'notes', { text: 'one' });
  await close();
  const folder = collections(t, notes);
  const off = await openService(url, { SERVICE_COLLECTIONS_DIR: folder, SERVICE_HISTORY: 'false' });
  const refusal = { error: { code: 'FEATURE_DISABLED', details: { feature: 'history', setting: 'SERVICE_HISTORY' } } };
  for (const [method, path] of [
    ['GET', '/data/notes/1/history'], ['POST', '/data/notes/1/history/0d3c1a52-2f57-4f4e-9c1b-5a1f3c1e7a10/revert'],
    ['GET', '/data/none/1/history'],
  ] as const) {
    const { status, body } = await off.request(path, { method });
    t.equal(status, 501);
    t.match(body, refusal);
  }
  t.notMatch((await off.request('/docs')).text, /history/);
  t.equal((await off.request('/data/notes/1', { method: 'PATCH', body: '{"text": "two"}' })).status, 200);
  t.same(await sql`select tgname from pg_trigger where tgname = '_910_history'`, []);
  await off.close();
  const on = await openService(url, { SERVICE_COLLECTIONS_DIR: folder });
  t.teardown(on.close);
  t.equal((await on.request('/data/notes/1', { method: 'PATCH', body: '{"text": "three"}' })).status, 200);
  t.match((await on.request('/data/notes/1/history')).body.data,
    [{ values: { text: 'three' }, previous_values: { text: 'two' } }, { action: 'create' }]);
});

test('in psql service.list_history answers what the API answers', async t => {
  const { send, sql } = await createHistorian(t,
    [{ ...notes, properties: { ...notes.properties, owner: { type: 'string' } }, securityRules: [{ ownerField: 'owner' }] }]);
  await sql`insert into notes (text, owner) values ('one', 'ann')`;
  await sql`update notes set text = 'two'`;
  const list = async (request: object, claims?: object) => {
    const [row] = claims
      ? await sql`select service.list_history('notes', '1', ${sql.json(request as never)}::json, ${sql.json(claims as never)}) as answer`
      : await sql`select service.list_history('notes', '1', ${sql.json(request as never)}::json) as answer`;
    return row?.['answer'] as unknown;
  };
  t.same(await list({}), (await send('GET', 'notes/1/history')).body);
  t.same(await list({ limit: 1, offset: 1 }), (await send('GET', 'notes/1/history?limit=1&offset=1')).body);
  t.match(await list({}, { uid: 'ann', roles: 'user', isAnonymous: false }), { meta: { total: 2 } });
  t.equal(await list({}, { uid: 'bob', roles: 'user', isAnonymous: false }), null);
  await t.rejects(sql`select service.list_history('none', '1')`, { code: 'GW404' });
});
