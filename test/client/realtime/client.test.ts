import { test } from 'tap';
import { WebSocket } from 'ws';
import {
  createAuth, createClient, memory, type RowgateError, type RowSnapshot, type Snapshot, type SocketOptions, type State,
} from '../../../client/src/index.ts';
import { realtime } from '../../../client/src/realtime/realtime.ts';
import { OPEN, serveAccounts } from '../../accounts/people.ts';
import { lendService } from '../../harness/lend.ts';
import { SERVICE_KEY } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { ADA } from '../session/people.ts';
import { schema, type Schema } from '../store.types.ts';
import { recorded } from './watched.ts';

const BOB = { ...ADA, email: 'bob@example.org' };

/** Opens what it is told to on a socket that writes everything down. */
function live(options: SocketOptions = {}) {
  const wire = recorded();
  const made = (connection: Parameters<typeof realtime>[0]) => realtime(connection, { WebSocket: wire.WebSocket, ...options });
  return { wire, realtime: made };
}

test('a query of list() is subscribed to, below a row too, and a row by its id', async t => {
  const service = await lendService(t, {});
  const { wire, realtime } = live();
  const db = createClient<Schema>({ url: service.address, schema, token: SERVICE_KEY, warn: () => undefined, realtime });
  const errors: RowgateError[] = [];
  const failed = (error: RowgateError) => errors.push(error);
  const query = {
    where: { price: ['<', 5] }, fields: ['name', 'price'], include: { category: { fields: ['slug'] } },
    orderBy: [{ field: 'id' }], limit: 2,
  } as const;
  const cheap: Snapshot<{ id: number; name: string; price: string; category: { id: number; slug: string } }, { total: number }>[] = [];
  const pairs: number[][] = [];
  const rows: RowSnapshot<{ id: number; name: string }>[] = [];
  const ends = [
    db.from('products').subscribe(query, snapshot => cheap.push(snapshot), failed),
    db.from('bundles').related(1, 'products').subscribe({ fields: ['name'], count: 'none' }, ({ data, meta }) => {
      pairs.push(data.map(({ _pivot }) => _pivot.quantity));
      t.notOk('total' in meta);
    }, failed),
    db.from('tags').subscribeOne(1, { fields: ['name'] }, row => rows.push(row), failed),
  ];
  t.teardown(() => { for (const { unsubscribe } of ends) unsubscribe(); });
  await until('all are live', () => ends.every(({ state }) => state === 'live'));
  const { data, meta } = await db.from('products').list(query);
  t.same(cheap, [{ data, meta, state: 'live' }], 'the same as list');
  t.type(data[0]?.price, 'string');
  t.ok((pairs[0] ?? []).length > 0);
  const tag = await db.from('tags').get(1, { fields: ['name'] });
  t.match(rows, [{ data: tag, state: 'live' }]);
  await db.from('tags').update(1, { name: 'renamed' });
  await until('it is told', () => rows.at(-1)?.data?.name === 'renamed');
  t.same(errors, []);
  t.equal(wire.opened, 1);
});

test('a word that no query has is what it is for list() and get()', async t => {
  const service = await lendService(t, {});
  const { realtime } = live();
  const tags = createClient<Schema>({ url: service.address, schema, token: SERVICE_KEY, warn: () => undefined, realtime }).from('tags');
  const query = { limit: 5, fields: ['name'], wher: { name: 'organic' } } as const;
  const errors: RowgateError[] = [];
  const failed = (error: RowgateError) => errors.push(error);
  const ends = [tags.subscribe(query, () => undefined, failed), tags.subscribeOne(1, query, () => undefined, failed)];
  t.teardown(() => { for (const { unsubscribe } of ends) unsubscribe(); });
  await until('both are refused', () => errors.length === 2);
  for (const [n, ask] of [() => tags.list(query), () => tags.get(1, query)].entries()) {
    const { code, message, details } = await ask().then(() => undefined, (error: unknown) => error as RowgateError) ?? {};
    t.equal(code, 'UNKNOWN_FILTER_FIELD');
    t.match(errors[n], { code, message, details });
  }
  const shown: unknown[] = [];
  ends.push(tags.subscribe({ limit: 5, id: 2 } as { limit: number }, ({ data }) => shown.push(...data), failed));
  await until('it is live', () => ends[2]?.state === 'live');
  t.match(shown, [{ id: 2 }]);
});

test('what would be sent as something else than it says is refused at once', t => {
  const { wire, realtime } = live();
  const db = createClient<Schema>({ url: 'http://127.0.0.1:1', schema, token: SERVICE_KEY, warn: () => undefined, realtime });
  const products = db.from('products');
  const refused = { name: 'RowgateError', code: 'INVALID_INPUT' };
  t.throws(() => products.subscribe({ where: { price: ['<', NaN] } }, () => undefined), refused);
  t.throws(() => products.subscribe({ where: { price: undefined as never } }, () => undefined), refused);
  t.throws(() => products.subscribeOne('' as never, {}, () => undefined), refused);
  t.throws(() => products.subscribeOne('count' as never, {}, () => undefined), refused);
  t.throws(() => products.related('..' as never, 'reviews').subscribe({}, () => undefined), refused);
  t.equal(wire.opened, 0);
  const without = createClient<Schema>({ url: 'http://127.0.0.1:1', schema, token: SERVICE_KEY, warn: () => undefined });
  t.notOk('subscribe' in without.from('products') || 'channel' in without);
  t.end();
});

test('the socket goes with the session: renewed before its token ends, reopened by a sign-in, a visitor after the sign-out', async t => {
  const { address } = await serveAccounts(t, { ...OPEN, JWT_ACCESS_EXPIRES_IN: '4s' }, { template: 'served_store' });
  const { wire, realtime } = live();
  const auth = createAuth({ url: address, storage: memory() });
  const db = createClient<Schema>({ url: address, schema, auth, warn: () => undefined, realtime });
  await db.auth.register(ADA);
  const states: State[] = [];
  const errors: RowgateError[] = [];
  const products = db.from('products').subscribe({ limit: 1 }, ({ state }) => states.push(state), error => errors.push(error));
  t.teardown(products.unsubscribe);
  const sent = () => new Set(wire.sent.filter(({ type }) => type === 'AUTHENTICATE').map(({ payload }) => payload.token)).size;
  await until('three tokens were signed in with', () => sent() === 3);
  t.same(states, ['live']);
  t.equal(wire.opened, 1);

  await auth.signOut();
  await until('it is a visitor', () => errors.length > 0);
  t.same(errors.map(({ code }) => code), ['UNAUTHORIZED']);
  t.equal(products.state, 'catching up');
  t.equal(wire.opened, 2);
  await auth.register(BOB);
  const bob = await auth.session();
  await until('it is live again', () => products.state === 'live');
  t.ok(wire.heard.some(({ type, payload }) => type === 'AUTH_SUCCESS' && payload.uid === bob?.user.uid));
  t.equal(wire.opened, 3);
});

test('channels of two clients, one with the WebSocket of "ws"', async t => {
  const service = await lendService(t, {});
  const options = { url: service.address, schema, token: SERVICE_KEY, warn: () => undefined, realtime };
  const ada = createClient<Schema>({ ...options, realtime: connection => realtime(connection, { WebSocket }) });
  const bob = createClient<Schema>(options);
  const heard: unknown[] = [];
  const room = bob.channel('room', { onMessage: ({ payload }) => heard.push(payload) });
  const other = ada.channel('room');
  t.teardown(() => { room.leave(); other.leave(); });
  await until('it is live', () => room.state === 'live');
  await other.send('said', { text: 'hello' });
  await until('it is heard', () => heard.length > 0);
  t.same(heard, [{ text: 'hello' }]);
});
