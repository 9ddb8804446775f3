import { test } from 'tap';
import type { RowgateError } from '../../../client/src/error.ts';
import type { Presences } from '../../../client/src/realtime/channels.ts';
import type { State } from '../../../client/src/realtime/members.ts';
import { createService, tokenFor } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { realtimeFile } from '../../realtime/channels.ts';
import { openProxy } from './proxy.ts';
import { openRealtime, recorded } from './watched.ts';

type Heard = { event: string; payload: unknown; seq?: number };

test('members hear each other and see who is present', async t => {
  const service = await createService(t);
  const [ada, bob] = [openRealtime(t, service.address), openRealtime(t, service.address)];
  const heard: Heard[] = [];
  let presences: unknown[] = [];
  const room = bob.channel('room', {
    onMessage: message => { heard.push(message); throw new Error('a callback that throws'); },
    onPresence: all => { presences = Object.values(all); },
  });
  t.capture(console, 'error', () => undefined);
  await until('it is live', () => room.state === 'live');
  const other = ada.channel('room', {});
  await other.send('typing', { on: true });
  await other.send('typing');
  await until('both were heard', () => heard.length === 2);
  t.same(heard, [{ event: 'typing', payload: { on: true } }, { event: 'typing', payload: null }]);
  other.track({ name: 'Ada' });
  await until('she is present', () => presences.length === 1);
  t.same(presences, [{ name: 'Ada' }]);
  other.untrack();
  await until('she has left', () => presences.length === 0);
  t.throws(() => ada.channel('room', {}), { code: 'INVALID_INPUT' });
  other.leave();
  await t.rejects(other.send('typing'), { code: 'INVALID_INPUT' });
});

test('nothing of one person goes on in a channel as another one', async t => {
  const service = await createService(t, { env: realtimeFile(t, { channels: [{ match: 'chat:*', limit: 10_000 }] }) });
  const [ada, ben] = await Promise.all([tokenFor('ada', ['admin']), tokenFor('ben', ['admin'])]);
  for (const token of [ada, ben]) await service.account(token);
  const proxy = await openProxy(t, () => service.address);
  const wire = recorded();
  let token = ada;
  const client = openRealtime(t, proxy.url, { token: () => token, WebSocket: wire.WebSocket });
  const [heard, shown, errors]: [unknown[], Presences[], RowgateError[]] = [[], [], []];
  const room = client.channel('chat:docs', {
    since: 0, onMessage: ({ payload }) => heard.push(payload), onPresence: all => shown.push(all), onError: error => errors.push(error),
  });
  room.track({ name: 'Ada' });
  await room.send('said', 'before the first socket');
  await until('all of it is there', () => heard.length === 1 && Object.keys(shown.at(-1) ?? {}).length === 1);

  proxy.refuse(true);
  proxy.drop();
  await until('the loss is known', () => room.state === 'offline');
  const waiting = room.send('said', 'a word of Ada');
  wire.sent.length = shown.length = 0;
  token = ben;
  proxy.refuse(false);
  client.renew();
  await t.rejects(waiting, { name: 'RowgateError', code: 'INVALID_INPUT' });
  t.same(shown, [{}], 'whom she saw');
  await until('it is live', () => room.state === 'live');
  t.equal(wire.sent.find(({ type }) => type === 'AUTHENTICATE').payload.token, ben);
  t.same(wire.sent.filter(({ type }) => /presence_track|broadcast/.test(type)), []);
  t.equal(wire.sent.find(({ type }) => type === 'channel_history').payload.sinceSeq, 0);
  t.same(heard, ['before the first socket', 'before the first socket'], 'told anew: it is another who reads');
  await room.send('said', 'a word of Ben');
  await until('it is there', () => heard.length === 3);
  t.same(errors, []);
});

test('what is said after a sign-in waits for the socket of the one who signed in', async t => {
  const service = await createService(t);
  const [ada, ben] = await Promise.all([tokenFor('ada', ['admin']), tokenFor('ben', ['admin'])]);
  for (const token of [ada, ben]) await service.account(token);
  const wire = recorded();
  let token = ada;
  const client = openRealtime(t, service.address, { token: () => token, WebSocket: wire.WebSocket });
  const room = client.channel('room');
  await until('it is live', () => room.state === 'live');
  wire.sent.length = 0;
  token = ben;
  client.renew({ accessToken: ben });
  room.track({ name: 'Ben' });
  await room.send('said');
  t.same(wire.sent.map(({ type, payload }) => payload.token ?? type).filter(said => said !== 'presence_untrack'),
    [ben, 'join_channel', 'presence_track', 'channel_history', 'broadcast']);
});

test('who comes first is no other caller than one who was there without a socket', async t => {
  const service = await createService(t);
  const [ada, ben] = await Promise.all([tokenFor('ada', ['admin']), tokenFor('ben', ['admin'])]);
  await service.account(ben);
  const client = openRealtime(t, service.address, { token: () => ben });
  client.renew({ accessToken: ada });
  let presences: unknown[] = [];
  const room = client.channel('room', { onPresence: all => { presences = Object.values(all); } });
  room.track({ name: 'Ben' });
  await room.send('said');
  await until('he is present', () => presences.length === 1);
  t.same(presences, [{ name: 'Ben' }]);
});

test('what cannot be sent is refused at once, and breaks no socket', async t => {
  const service = await createService(t);
  const proxy = await openProxy(t, () => service.address);
  const client = openRealtime(t, proxy.url);
  t.throws(() => client.channel('room', { since: NaN }), { code: 'INVALID_INPUT' });
  let presences: unknown[] = [];
  const room = client.channel('room', { onPresence: all => { presences = Object.values(all); } });
  const place = { speed: 1 };
  room.track(place);
  await until('it is present', () => presences.length === 1);
  t.throws(() => client.channel('a\0b'), { code: 'INVALID_INPUT' });
  t.throws(() => client.channel('another', { since: NaN }), { code: 'INVALID_INPUT' });
  t.throws(() => { room.track({ speed: NaN }); }, { code: 'INVALID_INPUT' });
  place.speed = NaN;
  const errors = t.capture(console, 'error', () => undefined);
  const after = client.watch({ path: 'tags' });
  await after.live();
  proxy.drop();
  await until('the loss is known', () => after.state !== 'live');
  await until('all are back', () => after.state === 'live' && room.state === 'live');
  t.match(errors().map(({ args: [error] }) => error as RowgateError), [{ code: 'INVALID_INPUT' }]);
});

test('nothing happens in a channel that was left', async t => {
  const service = await createService(t);
  const wire = recorded();
  const client = openRealtime(t, service.address, { WebSocket: wire.WebSocket });
  const [states, told]: [State[], RowgateError[]] = [[], []];
  const left = client.channel('room', { onState: state => states.push(state), onError: error => told.push(error) });
  const sending = left.send('typing');
  left.leave();
  await t.rejects(sending, { code: 'INVALID_INPUT' }, 'what waits is refused');

  let presences: unknown[] = [];
  const room = client.channel('room', { onPresence: all => { presences = Object.values(all); } });
  room.track({ name: 'Ada' });
  await until('she is present', () => presences.length === 1);
  const begun = t.capture(globalThis, 'setInterval', setInterval);
  const sent = wire.sent.length;
  left.track({ name: 'Bob' });
  left.untrack();
  left.leave();
  t.same([wire.sent.length, begun().length, states, told], [sent, 0, [], []]);
  await t.rejects(left.send('typing'), { code: 'INVALID_INPUT' });
  await client.channel('another').send('typing');
  t.same(presences, [{ name: 'Ada' }]);
});

test('kept messages come once and in order over lost connections, own ones too', async t => {
  const service = await createService(t, { env: realtimeFile(t, { channels: [{ match: 'chat:*', limit: 10_000 }] }) });
  const proxy = await openProxy(t, () => service.address);
  const [ada, bob] = [openRealtime(t, service.address), openRealtime(t, proxy.url)];
  const [all, later]: [Heard[], Heard[]] = [[], []];
  const first = ada.channel('chat:docs', {});
  await first.send('said', 0);
  const room = bob.channel('chat:docs', { since: 0, onMessage: message => all.push(message) });
  await until('the first is there', () => all.length === 1);
  const latest = ada.channel('chat:other', { onMessage: message => later.push(message) });
  await until('it is live', () => latest.state === 'live');
  t.same(later, []);
  let sent = 0;
  for (let round = 0; round < 3; round++) {
    proxy.refuse(true);
    proxy.drop();
    await until('the loss is known', () => room.state === 'offline'); // what is sent into a broken socket is lost
    for (let n = 0; n < 5; n++) await first.send('said', ++sent);
    proxy.refuse(false);
    await room.send('said', ++sent);
    await until('all of them are there', () => all.length === sent + 1);
  }
  t.same(all.map(({ seq }) => seq), Array.from({ length: sent + 1 }, (_, n) => n + 1));
  t.same(all.map(({ payload }) => payload), Array.from({ length: sent + 1 }, (_, n) => n));
});

test('a channel that may not be entered is told, and entered once it may be', async t => {
  const service = await createService(t, {
    env: realtimeFile(t, { authorize: 'public.may_use_channel' }),
    setup: `create table doors (open boolean); insert into doors values (false); grant select on doors to service_user;
      create function may_use_channel(request jsonb) returns boolean language sql stable as 'select open from public.doors'`,
  });
  const token = await tokenFor('one', ['admin']);
  await service.account(token);
  const errors: RowgateError[] = [];
  const room = openRealtime(t, service.address, { token: () => token }).channel('room', { onError: error => errors.push(error) });
  await until('it is refused', () => errors.length > 0);
  t.equal(errors[0]?.code, 'CHANNEL_FORBIDDEN');
  t.equal(room.state, 'catching up');
  await service.sql`update doors set open = true`;
  await until('it is live', () => room.state === 'live');
});
