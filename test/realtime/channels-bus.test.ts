import { randomUUID } from 'node:crypto';
import { pino, type Logger } from 'pino';
import { test, type Test } from 'tap';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { childrenOf } from '../harness/children.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, type TestService } from '../harness/service.ts';
import { connect, type TestSocket } from '../harness/socket.ts';
import { until } from '../harness/until.ts';
import { startOn } from '../workers/service.ts';
import { broadcasts, idOf, member, realtimeFile, refused, say, settled } from './channels.ts';

const POSTGRES = { REALTIME_CHANNEL_BUS: 'postgres' };

async function open(t: Test, url: string, env: Record<string, string> = {}, log?: Logger): Promise<Omit<TestService, 'sql' | 'url'>> {
  const service = await openService(url, env, undefined, log);
  t.teardown(service.close);
  return service;
}

async function rosterOf(socket: TestSocket, channel: string): Promise<Record<string, unknown>> {
  say(socket, 'presence_state', channel);
  return (await socket.next({ type: 'presence_state', channel }))['presences'];
}

/** Until this member has joined there, or has left. */
function diff(socket: TestSocket, part: 'joins' | 'leaves', id: string) {
  return socket.next(frame => frame.type === 'presence_diff' && id in frame[part]);
}

test('gateways whose channels are one', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const [here, there] = [await open(t, url, POSTGRES), await open(t, url, POSTGRES)];
  const outside = await open(t, url);
  const gateway = startGateway(t, { DATABASE_URL: url, ...POSTGRES });
  const elsewhere = { address: await addressOf(gateway), account: here.account };
  const [ada, bob, cyd] = [
    await member(t, here, 'ada', ['room']), await member(t, there, 'bob', ['room']), await member(t, elsewhere, 'cyd', ['room']),
  ];
  const eve = await member(t, outside, 'eve', ['room']);

  await t.test('messages are received everywhere, in the order of their sender', async t => {
    const said = Array.from({ length: 60 }, (_, i) => ({ i, text: 'é'.repeat(i * 60) }));
    for (const payload of said) say(ada, 'broadcast', 'room', { event: 'x', payload });
    for (const socket of [bob, cyd]) t.same((await broadcasts(socket, 60)).map(({ payload }) => payload), said);
  });

  await t.test('a message that is too large for a notification stays at its gateway', async t => {
    const near = await member(t, here, 'near', ['room']);
    say(ada, 'broadcast', 'room', { event: 'large', payload: 'x'.repeat(8_000) });
    t.equal(await refused(ada, 'room'), 'CHANNEL_BUS_PAYLOAD_TOO_LARGE');
    t.match(await near.next({ type: 'broadcast' }), { event: 'large' });
    say(ada, 'broadcast', 'room', { event: 'small' });
    for (const socket of [bob, cyd, near]) t.match(await socket.next({ type: 'broadcast' }), { event: 'small' });
  });

  await t.test('presence is known everywhere', async t => {
    const id = await idOf(ada, 'room', { name: 'Ada' });
    t.same(await diff(bob, 'joins', id), { type: 'presence_diff', channel: 'room', joins: { [id]: { name: 'Ada' } }, leaves: {} });
    const other = await idOf(bob, 'room', { name: 'Bob' });
    await diff(ada, 'joins', other);
    await diff(cyd, 'joins', other);
    const everybody = { [id]: { name: 'Ada' }, [other]: { name: 'Bob' } };
    for (const socket of [ada, bob, cyd]) t.same(await rosterOf(socket, 'room'), everybody);
    say(ada, 'presence_track', 'room', { state: { name: 'Ada' } });
    await diff(ada, 'joins', id);
    say(ada, 'presence_track', 'room', { state: { name: 'Ada', busy: true } });
    await diff(ada, 'joins', id);
    t.same((await diff(bob, 'joins', id))['joins'], { [id]: { name: 'Ada', busy: true } }, 'an equal state was not sent');
    say(ada, 'presence_track', 'room', { state: { text: 'x'.repeat(10_000) } });
    const roster = await bob.next({ type: 'presence_state' });
    t.equal(roster['presences'][id].text.length, 10_000, 'a large one comes with the whole roster');
    say(ada, 'presence_untrack', 'room');
    t.notOk(id in (await bob.next({ type: 'presence_state' }))['presences']);
    say(bob, 'leave_channel', 'room');
    await diff(ada, 'leaves', other);
    await until('nobody is present', async () => Object.keys(await rosterOf(cyd, 'room')).length === 0);
    say(bob, 'join_channel', 'room');
    await settled(bob);
  });

  await t.test('a gateway that is killed takes with it who was present there', async t => {
    const id = await idOf(cyd, 'room', { name: 'Cyd' });
    await diff(ada, 'joins', id);
    gateway.process.kill('SIGKILL');
    await gateway.ended;
    t.same(Object.keys(await rosterOf(ada, 'room')), [id], 'nobody knows yet');
    // its time is over
    await sql`update service.channel_gateways g set until = now() from service.channel_presences p where p.gateway = g.id`;
    await sql`select service_private.heartbeat_channels(null, '{}')`;
    for (const socket of [ada, bob]) t.same((await diff(socket, 'leaves', id))['leaves'], { [id]: { name: 'Cyd' } });
    t.same(await rosterOf(ada, 'room'), {});
    t.equal((await sql`select from service.channel_gateways`).length, 2);
  });

  await t.test('one that counted as gone, or heard nothing for a time, says again who is there', async t => {
    const id = await idOf(ada, 'room', { name: 'Ada' });
    await diff(bob, 'joins', id);
    await sql`update service.channel_gateways set until = now()`;
    await sql`select service_private.heartbeat_channels(null, '{}')`;
    await diff(bob, 'leaves', id);
    t.same(await sql`select from service.channel_presences`, []);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'rowgate listen'`;
    await until('both have said it', async () => (await sql`select from service.channel_gateways`).length === 2);
    await bob.next(frame => frame.type === 'presence_state' && id in frame['presences']);
    await until('a roster that is asked for has her', async () => id in await rosterOf(bob, 'room'));
    await until('it is heard again', async () => {
      say(ada, 'broadcast', 'room', { event: 'back' });
      await settled(bob);
      return bob.untaken.some(({ event }) => event === 'back');
    });
  });

  await t.test('one that counted as gone and has something to say is there again', async () => {
    const id = await idOf(ada, 'room', { name: 'Ada' });
    await sql`select service_private.sweep_channels(id) from service.channel_gateways`;
    await diff(bob, 'leaves', id);
    await idOf(ada, 'room', { name: 'Ada', again: true });
    await bob.next(frame => frame.type === 'presence_state' && frame['presences'][id]?.again === true);
  });

  await t.test('missed messages are asked for', async t => {
    const [gateway, id] = [randomUUID(), randomUUID()];
    await sql`select service_private.enter_channels(${gateway}, '{}', '{}', '{}')`;
    say(bob, 'join_channel', 'quiet');
    t.same(await rosterOf(bob, 'quiet'), {});
    await sql.begin(async transaction => {
      await transaction`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'rowgate listen'`;
      await transaction`select service_private.publish_in_channels(${gateway}, '{quiet}', ${[id]}, '{"{}"}', '{}')`;
    });
    t.same((await bob.next({ type: 'presence_state', channel: 'quiet' }))['presences'], { [id]: {} });
    await sql`select service_private.sweep_channels(${gateway})`;
    await diff(bob, 'leaves', id);
  });

  await t.test('one that ends says so', async t => {
    const guest = await open(t, url, POSTGRES);
    const id = await idOf(await member(t, guest, 'dan'), 'room', { name: 'Dan' });
    await diff(ada, 'joins', id);
    await guest.close();
    await diff(ada, 'leaves', id);
    t.equal((await sql`select from service.channel_gateways`).length, 2);
  });

  await t.test('one with a bus of its own heard nothing of all that', async t => {
    await settled(eve);
    t.same(eve.untaken, []);
    t.same(await rosterOf(eve, 'room'), {});
  });
});

test('a bus that cannot start says so, and channels are those of the start', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql`alter table service.channel_gateways add constraint no check (until is null)`;
  const said: string[] = [];
  const service = await open(t, url, POSTGRES, pino({ level: 'error' }, { write: (line: string) => { said.push(line); } }));
  t.match(said, [/The bus of channels could not start: they reach only the sockets of this start, as with REALTIME_CHANNEL_BUS=memory\./]);
  const [ada, bob] = [await member(t, service, 'ada', ['room']), await member(t, service, 'bob', ['room'])];
  say(ada, 'broadcast', 'room', { event: 'x', payload: 'x'.repeat(9_000) });
  t.match(await bob.next({ type: 'broadcast' }), { event: 'x' });
  t.same(ada.untaken, []);
});

for (const bus of ['memory', 'postgres']) {
  test(`the workers of a start meet at their parent: ${bus}`, async t => {
    const { url, sql } = await createDatabase(t, { template: 'served' });
    const rules = realtimeFile(t, { channels: [{ match: 'kept', limit: 100 }] });
    const start = await startOn(t, { DATABASE_URL: url, REALTIME_CHANNEL_BUS: bus, AUTH_REQUIRE: 'false', ...rules });
    const sockets = await Promise.all(Array.from({ length: 16 }, () => connect(t, { address: start.address, account: () => undefined })));
    const [first, ...others] = sockets as [TestSocket, ...TestSocket[]];
    const everybody = new Map<string, object>();
    for (const [place, socket] of sockets.entries()) {
      for (const channel of ['room', 'kept']) say(socket, 'join_channel', channel);
      everybody.set(await idOf(socket, 'room', { place }), { place });
    }
    const ids = [...everybody.keys()];
    await until('all are present for all', async () => Object.keys(await rosterOf(first, 'room')).length === 16);
    for (const socket of sockets) t.same(await rosterOf(socket, 'room'), Object.fromEntries(everybody));
    for (const channel of ['room', 'kept']) {
      for (const i of [1, 2, 3]) say(first, 'broadcast', channel, { event: 'x', payload: { i, text: 'x'.repeat(i * 3_000) } });
    }
    await sql`select service.broadcast('room', 'sql', '{}')`;
    const tooLarge = bus === 'postgres' ? ['CHANNEL_BUS_PAYLOAD_TOO_LARGE'] : [];
    for (const code of tooLarge) t.equal(await refused(first, 'room'), code);
    for (const socket of others) {
      const heard = [await broadcasts(socket, 7)].flat();
      t.same(heard.filter(({ channel, event }) => channel === 'room' && event === 'x').map(({ payload }) => payload.i), [1, 2, 3]);
      t.same(heard.filter(({ channel }) => channel === 'kept').map(({ seq }) => seq), [1, 2, 3]);
    }
    const [killed = 0] = childrenOf(start.gateway.process, 'worker');
    process.kill(killed, 'SIGKILL');
    await Promise.race(sockets.map(({ closed }) => closed));
    const isOpen = ({ raw }: TestSocket) => raw.readyState === raw.OPEN;
    const isLeft = await Promise.all(sockets.map(async socket => isOpen(socket) && settled(socket).then(() => true, () => false)));
    const [left, gone] = [sockets.filter((_, place) => isLeft[place]), ids.filter((_, place) => !isLeft[place])];
    t.ok(left.length > 0, 'both workers had some');
    for (const socket of left) for (const id of gone) await diff(socket, 'leaves', id);
    t.same(Object.keys(await rosterOf(left[0] as TestSocket, 'room')).sort(), ids.filter(id => !gone.includes(id)).sort());
  });
}
