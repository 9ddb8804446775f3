import { test } from 'tap';
import { parametersOf } from '../../../client/src/parameters.ts';
import { lendService } from '../../harness/lend.ts';
import { createService } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { openProxy } from './proxy.ts';
import { openRealtime, recorded } from './watched.ts';

const cheap = parametersOf({ where: { price: ['<', 5] }, orderBy: [{ field: 'id' }], fields: ['id', 'price'] });

test('a list follows its table, and so does a row', async t => {
  const service = await lendService(t, {});
  const client = openRealtime(t, service.address);
  const parameters = parametersOf({ where: { name: ['like', 'live%'] }, orderBy: [{ field: 'name' }] });
  const list = client.watch({ path: 'tags', parameters });
  t.equal(list.state, 'offline');
  t.same((await list.live()).data, []);
  const [made] = await service.sql`insert into tags (name) values ('live') returning id`;
  const { data, meta } = await list.live(rows => rows.length === 1);
  t.match(data, [{ name: 'live' }]);
  t.match(meta, { total: 1, hasMore: false });
  const row = client.watch({ path: 'tags', id: String(made?.['id']), parameters: {} });
  t.match((await row.live()).data, { name: 'live' });
  await service.sql`delete from tags where id = ${made?.['id']}`;
  t.equal((await row.live(found => found === null)).data, null);
  t.same((await list.live(rows => rows.length === 0)).data, []);
});

test('exact numbers have every digit', async t => {
  const service = await lendService(t, {});
  const client = openRealtime(t, service.address);
  const list = client.watch({ path: 'products', parameters: cheap, shape: { digits: ['price'], relations: {} } });
  const plain = client.watch({ path: 'products', parameters: { ...cheap, limit: '3' } });
  t.type((await list.live()).data, Array);
  t.type(((await list.live()).data as { price: unknown }[])[0]?.price, 'string');
  t.type(((await plain.live()).data as { price: unknown }[])[0]?.price, 'number');
});

test('equal queries are one on the wire, which is open while one of them is there', async t => {
  const service = await lendService(t, {});
  const wire = recorded();
  const client = openRealtime(t, service.address, { WebSocket: wire.WebSocket });
  const both = [client.watch({ path: 'products', parameters: cheap }),
    client.watch({ path: 'products', parameters: Object.fromEntries(Object.entries(cheap).reverse()) })];
  const [first, second] = await Promise.all(both.map(watched => watched.live()));
  t.same(first?.data, second?.data);
  const late = client.watch({ path: 'products', parameters: cheap });
  t.equal((await late.live()).data, first?.data, 'one that comes later is told at once');
  t.equal(wire.opened, 1);
  t.same(wire.sent.map(({ type }) => type), ['AUTHENTICATE', 'subscribe_collection']);
  for (const { unsubscribe } of both) unsubscribe();
  t.equal(wire.sent.length, 2);
  late.unsubscribe();
  late.unsubscribe();
  t.same(wire.sent.map(({ type }) => type).slice(2), ['unsubscribe']);
  await until('the socket is closed', () => wire.closed === 1);
  const again = client.watch({ path: 'products', parameters: cheap });
  await again.live();
  t.equal(wire.opened, 2);
});

test('a refusal is told to one that comes later too, for as long as it holds', async t => {
  const service = await createService(t, { template: 'served_store', env: { REALTIME_MAX_SUBSCRIPTIONS_PER_SOCKET: '1' } });
  const wire = recorded();
  const client = openRealtime(t, service.address, { WebSocket: wire.WebSocket });
  const products = client.watch({ path: 'products', parameters: cheap });
  await products.live();
  const first = client.watch({ path: 'tags' });
  await until('it is refused', () => first.errors.length > 0);
  const [second, ended] = [client.watch({ path: 'tags' }), client.watch({ path: 'tags' })];
  t.same(second.errors, [], 'not before its caller has it');
  ended.unsubscribe();
  await Promise.resolve();
  t.match(second.errors, [{ code: 'TOO_MANY_SUBSCRIPTIONS' }]);
  t.same([first.errors.length, second.told, second.state, ended.errors], [1, [], 'catching up', []]);
  products.unsubscribe();
  await Promise.all([first.live(), second.live()]);
  const third = client.watch({ path: 'tags' });
  await third.live();
  t.same([first, second, third].map(({ errors }) => errors.length), [1, 1, 0]);
});

test('a lost socket comes back with what is shown, and what changed meanwhile is told', async t => {
  const service = await lendService(t, {});
  const proxy = await openProxy(t, () => service.address);
  const wire = recorded();
  const client = openRealtime(t, proxy.url, { WebSocket: wire.WebSocket });
  const tags = client.watch({ path: 'tags', parameters: { where: '{"name":["like","back%"]}' } });
  const products = client.watch({ path: 'products', parameters: cheap });
  await Promise.all([tags.live(), products.live()]);
  for (const [n, cut] of (['drop', 'halfClose'] as const).entries()) {
    proxy.refuse(true);
    proxy[cut]();
    await until('the loss is known', () => tags.told.at(-1)?.state === 'offline');
    t.equal(tags.state, 'offline');
    t.equal((tags.told.at(-1)?.data as unknown[]).length, n, 'the last snapshot stays');
    await service.sql`insert into tags (name) values (${`back ${n}`})`;
    const before = wire.heard.length;
    proxy.refuse(false);
    await tags.live(rows => rows.length === n + 1);
    await products.live();
    const heard = wire.heard.slice(before).filter(({ subscriptionId }) => subscriptionId === 's2');
    t.match(heard, [{ unchanged: true }], 'what is shown already does not come again');
    t.same(tags.told.slice(-3).map(({ state }) => state), ['offline', 'catching up', 'live']);
  }
  t.same(tags.errors, []);
});

test('a socket that looks open and carries nothing is given up', async t => {
  const service = await lendService(t, {});
  const proxy = await openProxy(t, () => service.address);
  const client = openRealtime(t, proxy.url, { heartbeat: 100 });
  const tags = client.watch({ path: 'tags', parameters: { where: '{"name":"stalled"}' } });
  await tags.live();
  proxy.stall(true);
  await service.sql`insert into tags (name) values ('stalled')`;
  await until('it is offline', () => tags.state === 'offline');
  t.same(tags.told.at(-1), { data: [], meta: tags.told[0]?.meta, state: 'offline' });
  proxy.drop();
  proxy.stall(false);
  await tags.live(rows => rows.length === 1);
});

test('what is ended while the socket comes back is not asked for again', async t => {
  const service = await lendService(t, {});
  const proxy = await openProxy(t, () => service.address);
  const wire = recorded();
  const client = openRealtime(t, proxy.url, { WebSocket: wire.WebSocket });
  const ends: (() => void)[] = [];
  const failed = () => undefined;
  const end = ({ state }: { state: string }) => { if (state === 'catching up') for (const each of ends) each(); };
  const lists = ['tags', 'products'].map(path => client.subscribe({ path, parameters: {} }, { changed: end, failed }));
  const room = client.channel('room', { onState: state => { end({ state }); } });
  const kept = client.watch({ path: 'categories' });
  await until('all are live', () => [...lists, room, kept].every(({ state }) => state === 'live'));
  ends.push(...lists.map(({ unsubscribe }) => unsubscribe), () => { room.leave(); });
  const before = wire.sent.length;
  proxy.drop();
  await until('it is back', () => wire.opened === 2 && kept.state === 'live');
  const said = wire.sent.slice(before).map(({ type, payload }) => `${type} ${payload.subscriptionId ?? payload.channel ?? ''}`);
  t.same(said.filter(text => !/AUTH|s3/.test(text)), ['subscribe_collection s1', 'unsubscribe s1', 'unsubscribe s2', 'leave_channel room']);
});

test('callbacks that throw, and that subscribe and unsubscribe, break nothing', async t => {
  const service = await lendService(t, {});
  const failures = t.capture(console, 'error', () => undefined);
  const failed = () => undefined;
  const client = openRealtime(t, service.address);
  const bad = client.subscribe({ path: 'tags', parameters: {} }, { changed: () => { throw new Error('bad'); }, failed });
  const worse = client.subscribe({ path: 'tags', parameters: {} }, { changed: () => Promise.reject(new Error('worse')), failed });
  const inside: unknown[] = [];
  const first = client.subscribe({ path: 'tags', parameters: {} }, { failed, changed: () => {
    first.unsubscribe();
    const second = client.subscribe({ path: 'tags', parameters: { limit: '1' } }, { failed, changed: ({ data }) => {
      inside.push(data);
      second.unsubscribe();
    } });
  } });
  const good = client.watch({ path: 'tags', parameters: {} });
  await good.live();
  await until('the one inside was told', () => inside.length > 0);
  await service.sql`insert into tags (name) values ('thrown')`;
  await good.live(rows => rows.some(({ name }: { name: string }) => name === 'thrown'));
  t.equal(inside.length, 1);
  t.ok(failures().length >= 4);
  bad.unsubscribe();
  worse.unsubscribe();
});
