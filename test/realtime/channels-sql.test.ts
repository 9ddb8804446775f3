import { test } from 'tap';
import { createService, openService } from '../harness/service.ts';
import { broadcasts, member, realtimeFile, say, settled } from './channels.ts';

test('service.broadcast', async t => {
  const rules = { channels: [{ match: 'kept:*', limit: 100 }] };
  const service = await createService(t, { template: 'served', env: realtimeFile(t, rules) });
  const other = await openService(service.url, realtimeFile(t, rules));
  t.teardown(other.close);
  const { sql } = service;
  const channels = ['news', 'kept:news'];
  const sockets = [await member(t, service, 'ada', channels), await member(t, other, 'bob', channels)];
  const [ada] = sockets as [typeof sockets[0] & object];

  await t.test('reaches every member at every gateway at the commit, on any bus', async t => {
    await sql.begin(async transaction => {
      for (const [event, payload] of [
        ['first', { a: 1 }], ['same', null], ['same', null], ['large', 'x'.repeat(10_000)], ['last', [1]],
      ] as const) {
        await transaction`select service.broadcast('news', ${event}, ${transaction.json(payload)})`;
      }
      for (const socket of sockets) {
        await settled(socket);
        t.same(socket.untaken, []);
      }
    });
    for (const socket of sockets) {
      const heard = await broadcasts(socket, 5);
      t.same(heard[0], { type: 'broadcast', channel: 'news', event: 'first', payload: { a: 1 } });
      t.same(heard.map(({ event }) => event), ['first', 'same', 'same', 'large', 'last']);
      t.equal(heard[3]?.payload.length, 10_000);
    }
  });

  await t.test('tells nothing of what is rolled back', async t => {
    for (const channel of channels) {
      await t.rejects(sql.begin(async transaction => {
        await transaction`select service.broadcast(${channel}, 'never', '{}')`;
        throw new Error('no');
      }));
      await sql`select service.broadcast(${channel}, 'after', '{}')`;
      for (const socket of sockets) t.match(await socket.next({ type: 'broadcast', channel }), { event: 'after' });
    }
  });

  await t.test('is kept where a rule says so, in the order of its sender, and waits for no other', async t => {
    const hold = await sql.reserve();
    await hold`begin isolation level serializable`;
    await hold`select service.broadcast('kept:news', 'slow', '{}')`;
    say(ada, 'broadcast', 'kept:news', { event: 'meanwhile' });
    t.match(await sockets[1]?.next({ type: 'broadcast' }), { event: 'meanwhile', seq: 2 });
    await hold`commit`;
    hold.release();
    for (let i = 0; i < 20; i += 1) await sql`select service.broadcast('kept:news', ${`event ${i}`}, ${sql.json('x'.repeat(i * 1_000))})`;
    const expected = ['slow', ...Array.from({ length: 20 }, (_, i) => `event ${i}`)];
    for (const socket of sockets) {
      const heard = await broadcasts(socket, 21);
      t.same(heard.map(({ event, seq }) => [event, seq]), expected.map((event, i) => [event, i + 3]));
    }
    t.same(await sql`select from service.broadcasts where kept`, []);
    say(ada, 'channel_history', 'kept:news', { sinceSeq: 20 });
    t.match(await ada.next({ type: 'channel_history' }),
      { latestSeq: 23, messages: [{ seq: 21 }, { seq: 22 }, { seq: 23, event: 'event 19' }] });
  });

  await t.test('large messages are removed once every gateway can have read them', async t => {
    const [first] = await sql<{ broadcasts: string }[]>`select broadcasts::text from service_private.heartbeat_channels(null, '{}')`;
    t.match(first?.broadcasts, /^\{\d+\}$/);
    await sql`select service.broadcast('news', 'large', ${sql.json('x'.repeat(10_000))})`;
    await sql`select service_private.heartbeat_channels(null, ${first?.broadcasts ?? ''}::text::bigint[])`;
    t.equal((await sql`select from service.broadcasts`).length, 1);
    for (const socket of sockets) await socket.next({ type: 'broadcast' });
  });

  await t.test('is the owner\'s', async t => {
    await t.rejects(sql`select service.broadcast('', 'x', '{}')`, { code: 'GW400', hint: 'INVALID_INPUT' });
    await t.rejects(sql`select service.broadcast('news', null, '{}')`, { code: 'GW400' });
    await t.rejects(sql.begin(async transaction => {
      await transaction`set local role service_user`;
      await transaction`select service.broadcast('news', 'x', '{}')`;
    }), { code: '42501' });
    await sql`grant execute on function service.broadcast(text, text, jsonb) to service_user`;
    await sql.begin(async transaction => {
      await transaction`set local role service_user`;
      await transaction`select service.broadcast('news', 'granted', '{}')`;
      await transaction`select service.broadcast('kept:news', 'granted', '{}')`;
    });
    for (const socket of sockets) {
      for (const channel of channels) t.match(await socket.next({ type: 'broadcast', channel }), { event: 'granted' });
    }
  });
});
