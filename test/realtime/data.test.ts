// Data frames are requests of REST: the same rows to the byte, the same refusals.
import { test } from 'tap';
import { createService, openService, SERVICE_KEY, storeFiles, tokenFor } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';
import { until } from '../harness/until.ts';

test('data frames', async t => {
  const service = await createService(t, { template: 'served_store' });
  const staff = await tokenFor('staff', ['staff']);
  const [admin, editor] = [await connect(t, service, { token: SERVICE_KEY }), await connect(t, service, { token: staff })];
  const rest = async (path: string, as = SERVICE_KEY) => (await service.request(path, { as })).text;

  await t.test('a list is what REST has under data, byte for byte', async t => {
    const asked: [payload: object, query: string][] = [
      [{}, ''], [{ limit: 3, orderBy: [['price', 'desc']] }, 'limit=3&orderBy=price:desc'],
      [{ filter: { origin: ['==', 'JP'] }, include: ['tags'], fields: ['id', 'name'] }, 'origin=eq.JP&include=tags&fields=id,name'],
      [{
        logical: { type: 'or', conditions: [{ column: 'price', operator: '>', value: 150 }, { column: 'stock', operator: '<', value: 2 }] },
      }, 'or=(price.gt.150,stock.lt.2)'],
      [{ searchString: 'tea', limit: 5 }, 'searchString=tea&limit=5'], [{ filter: { id: ['==', -1] } }, 'id=eq.-1'],
      [{ fields: ['origin'], distinct: true, orderBy: 'origin' }, 'fields=origin&distinct=true&orderBy=origin'],
    ];
    for (const [payload, query] of asked) {
      admin.raw.removeAllListeners('message');
      const text = new Promise<string>(resolve => admin.raw.once('message', data => { resolve((data as Buffer).toString()); }));
      admin.send({ type: 'FETCH_COLLECTION', requestId: 'r', payload: { path: 'products', ...payload } });
      const answer = await rest(`/data/products?${query}`);
      const data = answer.slice('{"data":'.length, answer.lastIndexOf(',"meta":'));
      t.equal(await text, `{"type":"FETCH_COLLECTION_SUCCESS","requestId":"r","payload":{"rows":${data}}}`, query);
    }
  });
  const own = await connect(t, service, { token: SERVICE_KEY });

  await t.test('one row, or none', async t => {
    const { body: row } = await service.request('/data/products/1?include=tags');
    t.same((await own.request('FETCH_ONE', { path: 'products', id: 1, include: ['tags'] })).payload, { row });
    t.same((await own.request('FETCH_ONE', { path: 'products', id: '1', fields: ['id'] })).payload, { row: { id: 1 } });
    t.same((await own.request('FETCH_ONE', { path: 'products', id: 99999 })).payload, { row: null });
    t.same((await own.request('FETCH_ONE', { path: 'products', id: 'none' })).payload, { row: null });
    t.equal(await own.refusal('FETCH_ONE', { path: 'nothing', id: 1 }), 'NOT_FOUND');
    t.equal(await own.refusal('FETCH_ONE', { path: 'products/1/nothing', id: 1 }), 'UNKNOWN_RELATION');
    t.equal(await own.refusal('FETCH_ONE', { path: 'products' }), 'INVALID_INPUT');
  });

  await t.test('a count', async t => {
    const { body } = await service.request('/data/products/count?origin=eq.JP');
    t.same((await own.request('COUNT', { path: 'products', origin: 'JP', limit: 'any', offset: -1, orderBy: 5, order: 5 })).payload,
      body);
  });

  await t.test('a row is saved as REST saves it', async t => {
    const made = await editor.request('SAVE', { path: 'tags', status: 'new', values: { name: 'by-socket', color: '#102030' } });
    t.same(made.payload.error?.code, 'WRITE_DENIED', 'or refused as there');
    const saved = await own.request('SAVE', { path: 'tags', status: 'new', values: { name: 'by-socket', color: '#102030' } });
    const id = saved.payload.row.id as number;
    t.same(saved.payload.row, (await service.request(`/data/tags/${id}`)).body);
    const changed = await own.request('SAVE', { path: 'tags', id, status: 'existing', values: { color: '#aaaaaa' } });
    t.match(changed.payload.row, { id, name: 'by-socket', color: '#aaaaaa' });
    t.match((await own.request('SAVE', { path: 'tags', id, values: { color: '#bbbbbb' } })).payload.row, { id, color: '#bbbbbb' },
      'an id alone says existing');
    t.match((await own.request('SAVE', {
      path: 'tags', status: 'new', upsert: true, onConflict: ['name'], values: { name: 'by-socket', color: '#cccccc' },
    })).payload.row, { id, color: '#cccccc' });
    t.match((await own.request('SAVE', {
      path: 'tags', id, status: 'new', upsert: true, values: { name: 'by-socket', color: '#dddddd' },
    })).payload.row,
      { id, color: '#dddddd' }, 'by its key');
    t.equal(await own.refusal('SAVE', { path: 'tags', status: 'new', values: { name: 'by-socket', color: '#102030' } }), 'PG_23505');
    t.equal(await own.refusal('SAVE', { path: 'tags', status: 'new', values: { nome: 'x' } }), 'VALIDATION_UNKNOWN_FIELDS');
    t.equal(await own.refusal('SAVE', { path: 'products/1/reviews', status: 'new', upsert: true, onConflict: ['id'], values: {} }),
      'INVALID_CONFLICT_TARGET');
    for (const wrong of [
      {}, { values: [] }, { values: {}, status: 'old' }, { values: {}, status: 'existing' }, { values: {}, upsert: 1, status: 'new' },
    ]) {
      t.equal(await own.refusal('SAVE', { path: 'tags', ...wrong }), 'INVALID_INPUT', JSON.stringify(wrong));
    }
    t.same((await own.request('DELETE', { row: { path: 'tags', id } })).payload, { success: true });
    t.equal(await own.refusal('DELETE', { row: { path: 'tags', id } }), 'NOT_FOUND');
    t.equal(await own.refusal('DELETE', { row: { path: 'tags', id: 1 }, hard: 'x' }), 'INVALID_HARD_PARAM');
    t.equal(await own.refusal('DELETE', { path: 'tags', id: 1 }), 'INVALID_INPUT');
  });

  await t.test('numbers keep their digits', async t => {
    const values = '{"price":12.50,"attributes":{"n":12345678901234567890.10}}';
    own.send(`{"type":"SAVE","requestId":"digits","payload":{"path":"products","id":1,"values":${values}}}`);
    t.equal((await own.next({ requestId: 'digits' })).type, 'SAVE_SUCCESS');
    t.match(await rest('/data/products/1'), /"price": ?12\.50,[^]*12345678901234567890\.10/);
  });

  await t.test('whether a value is free', async t => {
    const { body: { data: [first, second] } } = await service.request('/data/tags?limit=2&orderBy=id');
    const isUnique = async (payload: object) =>
      (await own.request('CHECK_UNIQUE_FIELD', { path: 'tags', name: 'name', ...payload })).payload;
    t.same(await isUnique({ value: 'nobody has this' }), { isUnique: true });
    t.same(await isUnique({ value: first.name }), { isUnique: false });
    t.same(await isUnique({ value: first.name, id: first.id }), { isUnique: true });
    t.same(await isUnique({ value: first.name, id: second.id }), { isUnique: false });
    t.same(await isUnique({ value: null }), { isUnique: true });
    t.equal(await own.refusal('CHECK_UNIQUE_FIELD', { path: 'tags', value: 1 }), 'INVALID_INPUT');
    t.equal(await own.refusal('CHECK_UNIQUE_FIELD', { path: 'tags', name: 'nome', value: 1 }), 'UNKNOWN_FILTER_FIELD');
  });

  await t.test('each refusal is that of REST', async t => {
    const stranger = await connect(t, service, { token: await tokenFor('stranger') });
    const refusals: [payload: object, code: string][] = [
      [{ limit: 1001 }, 'INVALID_LIMIT'], [{ orderBy: [['a', 'up']] }, 'INVALID_ORDER_BY'],
      [{ orderBy: 'nothing' }, 'UNKNOWN_ORDER_BY_FIELD'], [{ filter: { nothing: 1 } }, 'UNKNOWN_FILTER_FIELD'],
      [{ filter: { cost: ['>', 1] } }, 'FIELD_NOT_READABLE'], [{ fields: ['cost'] }, 'FIELD_NOT_READABLE'],
      [{ filter: { price: 'much' } }, 'INVALID_FILTER_VALUE'], [{ include: ['nothing'] }, 'UNKNOWN_RELATION'],
    ];
    for (const [payload, code] of refusals) {
      t.equal(await stranger.refusal('FETCH_COLLECTION', { path: 'products', ...payload }), code, JSON.stringify(payload));
    }
    t.equal(await stranger.refusal('FETCH_COLLECTION', { path: 'nothing' }), 'NOT_FOUND');
    for (const [name, value, code] of [
      ['wher', '{"published":false}', 'UNKNOWN_FILTER_FIELD'], ['order', 'desc', 'UNKNOWN_FILTER_FIELD'], ['wher', [1], 'INVALID_PARAM'],
      ['collection', 'products', 'UNKNOWN_FILTER_FIELD'], ['explain', true, 'INVALID_PARAM'],
    ]) {
      for (const [type, id] of [['FETCH_COLLECTION'], ['COUNT'], ['FETCH_ONE', 1]] as [type: string, id?: number][]) {
        t.equal(await stranger.refusal(type, { path: 'products', id, [String(name)]: value }), code, `${type} with ${String(name)}`);
      }
    }
    const drafts = { path: 'products', filter: { published: false } };
    t.same((await stranger.request('COUNT', drafts)).payload, { count: 0 }, 'row security is the caller\'s');
    const all = (await editor.request('COUNT', drafts)).payload.count as number;
    t.ok(all > 0);
    await service.sql`update service.users set roles = '{}' where uid = 'staff'`;
    await until('the role is gone', async () => (await editor.request('COUNT', drafts)).payload.count !== all);
    t.same((await editor.request('COUNT', drafts)).payload, { count: 0 }, 'with the roles that it has now');
    await service.sql`update service.users set roles = '{staff}' where uid = 'staff'`;
    await until('the role is there again', async () => (await editor.request('COUNT', drafts)).payload.count !== 0);
  });

  await t.test('an API key needs its scopes', async t => {
    const { body: { key: { key } } } = await service.request('/admin/api-keys',
      { method: 'POST', body: JSON.stringify({ name: 'reader', scopes: ['data:read:tags'] }) });
    const reader = await connect(t, service, { token: key as string });
    t.equal((await reader.request('FETCH_COLLECTION', { path: 'tags' })).type, 'FETCH_COLLECTION_SUCCESS');
    const refused = await reader.request('FETCH_COLLECTION', { path: 'products' });
    t.match(refused.payload.error, { code: 'API_KEY_FORBIDDEN', details: { requiredScope: 'data:read:products' } });
    t.equal(await reader.refusal('SAVE', { path: 'tags', status: 'new', values: { name: 'x' } }), 'API_KEY_FORBIDDEN');
    t.equal(await reader.refusal('DELETE', { row: { path: 'tags', id: 1 } }), 'API_KEY_FORBIDDEN');
  });

  await t.test('a frame that is sent again over the next socket is done once', async t => {
    const frame = (requestId: string, name: string) =>
      ({ type: 'SAVE', requestId, payload: { path: 'tags', status: 'new', values: { name, color: '#101010' } } });
    const first = await connect(t, service, { token: SERVICE_KEY });
    first.send(frame('req_1', 'once'));
    const { payload: { row } } = await first.next({ requestId: 'req_1' });
    first.send(frame('req_1', 'once'));
    t.equal((await first.next({ requestId: 'req_1' })).payload.error.code, 'PG_23505', 'the same socket means it');
    first.raw.terminate();

    const gateway = await openService(service.url, storeFiles);
    t.teardown(gateway.close);
    const second = await connect(t, gateway, { token: SERVICE_KEY });
    second.send(frame('req_1', 'once'));
    t.same((await second.next({ requestId: 'req_1' })).payload, { row }, 'whichever gateway has it');
    second.send(frame('req_1', 'another'));
    t.match((await second.next({ requestId: 'req_1' })).payload.row, { name: 'another' }, 'with other content it is another request');
    const other = await connect(t, service, { token: staff });
    other.send(frame('req_1', 'once'));
    t.equal((await other.next({ requestId: 'req_1' })).payload.error.code, 'WRITE_DENIED', 'and somebody else\'s is somebody else\'s');

    second.send({ type: 'DELETE', requestId: 'req_2', payload: { row: { path: 'tags', id: row.id } } });
    t.same((await second.next({ requestId: 'req_2' })).payload, { success: true });
    const third = await connect(t, service, { token: SERVICE_KEY });
    third.send({ type: 'DELETE', requestId: 'req_2', payload: { row: { path: 'tags', id: row.id } } });
    t.same((await third.next({ requestId: 'req_2' })).payload, { success: true });
    t.same((await service.sql`select count(*)::int from tags where name in ('once', 'another')`)[0], { count: 1 });
  });

  await t.test('the second of two concurrent requests waits for the first', async t => {
    const frame = {
      type: 'SAVE', requestId: 'req_9', payload: { path: 'tags', status: 'new', values: { name: 'meeting', color: '#101010' } },
    };
    const sockets = await Promise.all(Array.from({ length: 4 }, () => connect(t, service, { token: SERVICE_KEY })));
    for (const socket of sockets) socket.send(frame);
    const ids = await Promise.all(sockets.map(async socket => (await socket.next({ requestId: 'req_9' })).payload.row?.id as number));
    t.equal(new Set(ids).size, 1);
    t.type(ids[0], 'number');
  });
});

test('data frames count against the caller as requests do', async t => {
  const service = await createService(t, { template: 'served_store', env: { SERVICE_DATA_RATE_LIMIT: '3' } });
  const token = await tokenFor('reader');
  const socket = await connect(t, service, { token });
  t.equal((await service.request('/data/tags', { as: token })).status, 200);
  t.equal((await socket.request('FETCH_COLLECTION', { path: 'tags' })).type, 'FETCH_COLLECTION_SUCCESS');
  t.equal((await socket.request('COUNT', { path: 'tags' })).type, 'COUNT_SUCCESS');
  t.equal(await socket.refusal('FETCH_ONE', { path: 'tags', id: 1 }), 'RATE_LIMITED');
  t.equal((await service.request('/data/tags', { as: token })).status, 429);
});
