import { test } from 'tap';
import { createService, tokenFor } from '../harness/service.ts';
import { connect } from '../harness/socket.ts';
import { until } from '../harness/until.ts';
import { broadcasts, idOf, member, realtimeFile, refused, say, settled } from './channels.ts';

const AUTHORIZE = `
  create schema app;
  grant usage on schema app to service_user;
  create table app.rooms (channel text, uid text, action text);
  grant select on app.rooms to service_user;
  create function app.may(request jsonb) returns boolean language plpgsql stable as $$
  begin
    if request ->> 'event' = 'broken' then
      raise exception 'The authorizer is broken.';
    elsif request ->> 'event' = 'null' then
      return null;
    end if;
    if (request ->> 'channel' like '%:slow') then
      perform pg_advisory_xact_lock_shared(42);
    end if;
    return request ->> 'channel' not like 'private:%' or exists (
      select from app.rooms r
      where r.channel = request ->> 'channel' and r.uid = service.uid() and r.action in ('*', request ->> 'action'));
  end $$;
  grant execute on function app.may(jsonb) to service_user;
  create function app.wrong(request jsonb) returns text language sql as 'select ''yes''';
  create function app.closed(request jsonb) returns boolean language sql as 'select true';
  revoke all on function app.closed(jsonb) from public`;

test('channels', async t => {
  const service = await createService(t, { template: 'served', setup: AUTHORIZE, env: {
    AUTH_REQUIRE: 'false', ...realtimeFile(t, { authorize: 'app.may' }),
  } });
  const { sql } = service;

  await t.test('members hear what others say, and never themselves', async t => {
    const [ada, bob, eve] = [
      await member(t, service, 'ada', ['room']), await member(t, service, 'bob', ['room']), await member(t, service, 'eve'),
    ];
    say(ada, 'broadcast', 'room', { event: 'typing', payload: { on: true } });
    say(ada, 'broadcast', 'room', { event: 'none' });
    t.same(await broadcasts(bob, 2), [
      { type: 'broadcast', channel: 'room', event: 'typing', payload: { on: true } },
      { type: 'broadcast', channel: 'room', event: 'none', payload: null },
    ]);
    await Promise.all([settled(ada), settled(eve)]);
    t.same([ada.untaken, eve.untaken], [[], []]);
    say(bob, 'leave_channel', 'room');
    await settled(bob);
    say(ada, 'broadcast', 'room', { event: 'late' });
    await settled(ada);
    t.same(bob.untaken, []);
  });

  await t.test('content keeps its digits, its order of keys and its characters', async t => {
    const [ada, bob] = [await member(t, service, 'ada', ['room ☃ "1"']), await member(t, service, 'bob', ['room ☃ "1"'])];
    const texts: string[] = [];
    bob.raw.on('message', data => texts.push((data as Buffer).toString()));
    ada.send('{"type":"broadcast","payload":{"channel":"room ☃ '
      + '\\"1\\"","event":"e\\u0001","payload":{"b":12345678901234567890.10,"a":1e400,"\\u2028":"\\ud83d"}}}');
    await bob.next({ type: 'broadcast' });
    t.equal(texts.at(-1),
      '{"type":"broadcast","channel":"room ☃ '
        + '\\"1\\"","event":"e\\u0001","payload":{"b":12345678901234567890.10,"a":1e400,"\u2028":"\\ud83d"}}');
  });

  await t.test('a client that has not joined is refused; leaving and untracking always succeed', async t => {
    const eve = await member(t, service, 'eve');
    for (const [type, more] of [['broadcast', { event: 'x' }], ['presence_state', {}], ['channel_history', {}]] as const) {
      say(eve, type, 'room', more);
      t.equal(await refused(eve, 'room'), 'CHANNEL_FORBIDDEN', type);
    }
    say(eve, 'leave_channel', 'room');
    say(eve, 'presence_untrack', 'room');
    await settled(eve);
    t.same(eve.untaken, []);
  });

  await t.test('the members present', async t => {
    const [ada, bob] = [await member(t, service, 'ada', ['hall']), await member(t, service, 'bob')];
    const id = await idOf(ada, 'hall', { name: 'Ada' });
    const other = await idOf(bob, 'hall', { name: 'Bob' });
    t.match(await ada.next({ type: 'presence_diff' }), { channel: 'hall', joins: { [other]: { name: 'Bob' } }, leaves: {} },
      'he joined by it');
    say(ada, 'presence_state', 'hall');
    t.same(await ada.next({ type: 'presence_state' }),
      { type: 'presence_state', channel: 'hall', presences: { [id]: { name: 'Ada' }, [other]: { name: 'Bob' } } });
    say(ada, 'presence_track', 'hall', { state: { name: 'Ada' } });
    for (const socket of [ada, bob]) {
      t.match(await socket.next({ type: 'presence_diff' }), { joins: { [id]: { name: 'Ada' } } }, 'a repeat is told too');
    }
    say(ada, 'presence_untrack', 'hall');
    for (const socket of [ada, bob]) {
      t.match(await socket.next({ type: 'presence_diff' }), { joins: {}, leaves: { [id]: { name: 'Ada' } } });
    }
    say(ada, 'presence_untrack', 'hall');
    bob.raw.close();
    t.match(await ada.next({ type: 'presence_diff' }), { joins: {}, leaves: { [other]: { name: 'Bob' } } },
      'a socket that is closed leaves');
    say(ada, 'presence_state', 'hall');
    t.same((await ada.next({ type: 'presence_state' }))['presences'], {});
    say(ada, 'presence_track', 'hall');
    t.same((await ada.next({ type: 'presence_diff' }))['joins'], { [id]: {} });
    say(ada, 'leave_channel', 'hall');
    await settled(ada);
    t.same(ada.untaken, [], 'who left is told nothing');
  });

  await t.test('names, states and pages have their form', async t => {
    const ada = await member(t, service, 'ada', ['room']);
    for (const channel of ['', 'x'.repeat(201), '😀'.repeat(201), 7, null, 'a\0b', '\ud800']) {
      ada.send({ type: 'join_channel', requestId: 'r', payload: { channel } });
      const answer = await ada.next({ type: 'ERROR' });
      t.equal(answer.payload.error.code, 'INVALID_INPUT', JSON.stringify(channel));
    }
    const wrong: [string, object][] = [
      ['broadcast', {}], ['broadcast', { event: '' }], ['broadcast', { event: 3 }], ['presence_track', { state: [] }],
      ['presence_track', { state: null }], ['presence_track', { state: { text: 'é'.repeat(8_192) } }],
      ['channel_history', { sinceSeq: -1 }], ['channel_history', { sinceSeq: '1' }], ['channel_history', { limit: 0 }],
      ['channel_history', { limit: 1001 }], ['channel_history', { limit: 1.5 }],
    ];
    for (const [type, more] of wrong) {
      say(ada, type, 'room', more);
      t.equal(await refused(ada, 'room'), 'INVALID_INPUT', `${type} ${JSON.stringify(more).slice(0, 60)}`);
    }
    for (const channel of ['x'.repeat(200), '😀'.repeat(200)]) {
      say(ada, 'presence_track', channel, { state: { text: 'é'.repeat(8_100) } });
      t.match(await ada.next({ type: 'presence_diff' }), { channel });
    }
  });

  await t.test('a socket is in 100 channels at most', async t => {
    const ada = await member(t, service, 'ada', Array.from({ length: 100 }, (_, i) => `many ${i}`));
    say(ada, 'join_channel', 'many 7');
    say(ada, 'join_channel', 'one more');
    t.equal(await refused(ada, 'one more'), 'INVALID_INPUT');
    say(ada, 'leave_channel', 'many 7');
    say(ada, 'join_channel', 'one more');
    await settled(ada);
    t.same(ada.untaken, []);
  });

  await t.test('without a rule nothing is kept', async t => {
    const ada = await member(t, service, 'ada', ['room']);
    say(ada, 'broadcast', 'room', { event: 'x' });
    say(ada, 'channel_history', 'room');
    t.same(await ada.next({ type: 'channel_history' }),
      { type: 'channel_history', channel: 'room', messages: [], retained: false, latestSeq: 0 });
  });

  await t.test('the project\'s function narrows, and fails closed', async t => {
    await sql`insert into app.rooms values ('private:1', 'ada', '*'), ('private:1', 'bob', 'join')`;
    const [ada, bob, eve] = [
      await member(t, service, 'ada', ['private:1']), await member(t, service, 'bob', ['private:1']), await member(t, service, 'eve'),
    ];
    const nobody = await connect(t, service);
    for (const socket of [eve, nobody]) {
      for (const type of ['join_channel', 'presence_track']) {
        say(socket, type, 'private:1');
        t.equal(await refused(socket, 'private:1'), 'CHANNEL_FORBIDDEN', type);
      }
    }
    for (const [type, more] of [
      ['broadcast', { event: 'x' }], ['presence_track', {}], ['presence_state', {}], ['channel_history', {}],
    ] as const) {
      say(bob, type, 'private:1', more);
      t.equal(await refused(bob, 'private:1'), 'CHANNEL_FORBIDDEN', type);
      say(ada, type, 'private:1', more);
    }
    t.match(await ada.next({ type: 'channel_history' }), { retained: false });
    t.match(await bob.next({ type: 'broadcast' }), { event: 'x' }, 'he may listen');
    for (const event of ['null', 'broken']) {
      say(ada, 'broadcast', 'room', { event });
      t.equal(await refused(ada, 'room'), 'CHANNEL_FORBIDDEN', event);
    }
    await sql`alter function app.may(jsonb) rename to may_not`;
    say(ada, 'join_channel', 'anything');
    t.equal(await refused(ada, 'anything'), 'CHANNEL_FORBIDDEN', 'a function that is gone allows nothing');
    await sql`alter function app.may_not(jsonb) rename to may`;
  });

  await t.test('after a change of identity a client is a member only where it may be', async t => {
    await sql`insert into app.rooms values ('private:2', 'ada', '*'), ('private:3', 'ada', '*'), ('private:3', 'cyd', '*')`;
    const ada = await member(t, service, 'ada', ['private:2', 'private:3', 'room']);
    const witness = await member(t, service, 'ada', ['private:2', 'private:3']);
    const id = await idOf(ada, 'private:2', { name: 'Ada' });
    await witness.next({ type: 'presence_diff' });
    const cyd = await tokenFor('cyd');
    await service.account(cyd);
    t.match(await ada.request('AUTHENTICATE', { token: cyd }), { type: 'AUTH_SUCCESS', payload: { uid: 'cyd' } });
    t.equal(await refused(ada, 'private:2'), 'CHANNEL_FORBIDDEN');
    t.match(await witness.next({ type: 'presence_diff' }), { channel: 'private:2', leaves: { [id]: { name: 'Ada' } } });
    for (const channel of ['private:2', 'private:3']) say(witness, 'broadcast', channel, { event: channel });
    t.match(await ada.next({ type: 'broadcast' }), { event: 'private:3' });
    say(ada, 'broadcast', 'private:2', { event: 'x' });
    t.equal(await refused(ada, 'private:2'), 'CHANNEL_FORBIDDEN');
    await service.request('/admin/users/cyd', { method: 'PUT', body: JSON.stringify({ roles: ['other'] }) });
    await sql`delete from app.rooms where uid = 'cyd'`;
    await service.request('/admin/users/cyd', { method: 'PUT', body: JSON.stringify({ roles: ['another'] }) });
    t.equal(await refused(ada, 'private:3'), 'CHANNEL_FORBIDDEN', 'other roles are judged anew');
  });

  await t.test('until it is known whether he may hear it, he hears nothing', async t => {
    await sql`insert into app.rooms values ('private:slow', 'ada', '*')`;
    const channels = ['private:slow', 'hall:slow'];
    const [ada, witness] = [await member(t, service, 'ada', channels), await member(t, service, 'ada', channels)];
    const dan = await tokenFor('dan');
    await service.account(dan);
    const lock = await sql.reserve();
    await lock`select pg_advisory_lock(42)`;
    const signedIn = ada.request('AUTHENTICATE', { token: dan });
    await until('it is asked',
      async () => (await sql`select from pg_locks where locktype = 'advisory' and objid = 42 and not granted`).length > 0);
    for (const channel of channels) await sql`select service.broadcast(${channel}, 'said', '{}')`;
    t.same((await broadcasts(witness, 2)).map(({ channel }) => channel), channels);
    t.same(ada.untaken, []);
    await lock`select pg_advisory_unlock(42)`;
    lock.release();
    t.match(await signedIn, { type: 'AUTH_SUCCESS' });
    t.equal(await refused(ada, 'private:slow'), 'CHANNEL_FORBIDDEN');
    t.match(await ada.next({ type: 'broadcast' }), { channel: 'hall:slow' });
    t.same(ada.untaken, []);
  });

  await t.test('no API key may use channels', async t => {
    const { body } = await service.request('/admin/api-keys',
      { method: 'POST', body: JSON.stringify({ name: 'key', scopes: ['data:read'] }) });
    const socket = await connect(t, service, { token: body.key.key });
    for (const type of ['join_channel', 'broadcast', 'presence_track', 'presence_state', 'channel_history']) {
      say(socket, type, 'room', { event: 'x' });
      t.equal(await refused(socket, 'room'), 'API_KEY_FORBIDDEN', type);
    }
    const ada = await member(t, service, 'ada', ['room']);
    await ada.request('AUTHENTICATE', { token: body.key.key });
    t.equal(await refused(ada, 'room'), 'CHANNEL_FORBIDDEN', 'who has become one is no member any more');
  });
});
