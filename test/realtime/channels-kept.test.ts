import { test } from 'tap';
import { createService, openService } from '../harness/service.ts';
import type { Heard, TestSocket } from '../harness/socket.ts';
import { broadcasts, member, realtimeFile, refused, say, settled } from './channels.ts';

const RULES = [{ match: 'chat:short', limit: 3 }, { match: 'chat:old', ttl: '15m' }, { match: 'chat:*', limit: 1000, ttl: '7d' }];

/** Ends the connections that hear notifications. */
const DEAFEN = `
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'rowgate listen'`;

test('channels that keep what is said', async t => {
  const service = await createService(t, { template: 'served', env: realtimeFile(t, { channels: RULES }) });
  const { sql, url } = service;
  const history = async (socket: TestSocket, channel: string, more: object = {}) => {
    say(socket, 'channel_history', channel, more);
    return socket.next({ type: 'channel_history', channel });
  };
  const seqs = (heard: Heard) => heard['messages'].map(({ seq }: { seq: number }) => seq);
  const fill = (channel: string, count: number, content = '{}') => sql`
    select service_private.keep_messages(array_fill(${channel}::text, array[${count}::int]), array_fill('x'::text, array[${count}::int]),
      array_fill(${content}::text, array[${count}::int]), array_fill(null::uuid, array[${count}::int]))`;

  await t.test('are delivered with numbers, to all but the sender', async t => {
    const [ada, bob] = [await member(t, service, 'ada', ['chat:1']), await member(t, service, 'bob', ['chat:1'])];
    say(ada, 'broadcast', 'chat:1', { event: 'said', payload: { text: 'one' } });
    say(bob, 'broadcast', 'chat:1', { event: 'said', payload: 12 });
    t.same(await bob.next({ type: 'broadcast' }),
      { type: 'broadcast', channel: 'chat:1', event: 'said', payload: { text: 'one' }, seq: 1 });
    t.match(await ada.next({ type: 'broadcast' }), { payload: 12, seq: 2 });
    const told = await history(bob, 'chat:1');
    const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    t.match(told,
      { retained: true, latestSeq: 2, messages: [{ seq: 1, event: 'said', payload: { text: 'one' }, at }, { seq: 2, payload: 12, at }] });
    t.same(Object.keys(told), ['type', 'channel', 'messages', 'retained', 'latestSeq']);
    t.same([
      seqs(await history(bob, 'chat:1', { sinceSeq: 1 })), seqs(await history(bob, 'chat:1', { sinceSeq: 9 })),
      seqs(await history(bob, 'chat:1', { limit: 1 })),
    ], [[2], [], [1]]);
    t.same([ada.untaken, bob.untaken], [[], []]);
    const cyd = await member(t, service, 'cyd', ['chat:empty']);
    t.match(await history(cyd, 'chat:empty'), { retained: true, latestSeq: 0, messages: [] });
  });

  await t.test('pages of history: 200, at most 1000, the oldest first', async t => {
    await fill('chat:long', 1_100);
    const ada = await member(t, service, 'ada', ['chat:long']);
    const [first, most, next] = [await history(ada,
      'chat:long'), await history(ada, 'chat:long', { limit: 1_000 }), await history(ada, 'chat:long', { sinceSeq: 1_000 })];
    t.same([seqs(first).length, seqs(first)[0], first['latestSeq']], [200, 101, 1_100],
      'the limit of the rule holds before anything is pruned');
    t.same([seqs(most).length, seqs(next)], [1_000, Array.from({ length: 100 }, (_, i) => 1_001 + i)]);
    await fill('chat:large', 12, JSON.stringify('x'.repeat(1_048_576)));
    const large = await member(t, service, 'ada', ['chat:large']);
    t.same([seqs(await history(large, 'chat:large')), seqs(await history(large, 'chat:large', { sinceSeq: 8 }))],
      [[1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12]], 'nor are they larger than a socket takes');
  });

  await t.test('messages that no rule keeps any longer are not shown, and are pruned; the number stays', async t => {
    await fill('chat:short', 5);
    await fill('chat:old', 2);
    await sql`update service.channel_messages set at = at - interval '16 minutes' where channel = 'chat:old' and seq = 1`;
    const ada = await member(t, service, 'ada', ['chat:short', 'chat:old']);
    t.same([seqs(await history(ada, 'chat:short')), seqs(await history(ada, 'chat:old'))], [[3, 4, 5], [2]]);
    const stored = async () => (await sql`select channel, count(*)::int as count from service.channel_messages
      where channel in ('chat:short', 'chat:old') group by channel order by channel`).map(({ count }) => Number(count));
    await sql`select service_private.prune_channels()`;
    t.same(await stored(), [2, 5], 'a channel has 30 seconds');
    await sql`update service.channel_cursors set prune_at = now() where channel in ('chat:short', 'chat:old')`;
    await sql`select service_private.prune_channels()`;
    t.same(await stored(), [1, 3]);
    const [due] = await sql<{ short: boolean; old: boolean }[]>`
      select bool_and(prune_at is null) filter (where channel = 'chat:short') as short,
        bool_and(prune_at between now() + interval '14 minutes' and now() + interval '15 minutes')
        filter (where channel = 'chat:old') as old
      from service.channel_cursors`;
    t.same(due, { short: true, old: true }, 'the next time is when something gets too old');
    await sql`update service.channel_messages set at = at - interval '1 year' where channel in ('chat:old', 'chat:1')`;
    await sql`update service.channel_cursors set prune_at = now()`;
    await sql`select service_private.prune_channels()`;
    t.match(await history(ada, 'chat:old'), { messages: [], latestSeq: 2 });
    say(ada, 'broadcast', 'chat:old', { event: 'x' });
    t.same(seqs(await history(ada, 'chat:old')), [3]);
    await sql`delete from service.channel_rules where match = 'chat:short'`;
    await sql`update service.channel_rules set match = 'other:*' where match = 'chat:*'`;
    await sql`update service.channel_cursors set prune_at = now()`;
    await sql`select service_private.prune_channels()`;
    t.equal((await stored())[1], 3, 'without a rule nothing is deleted');
    await sql`select service_private.use_channel_rules('[{"match": "chat:short", "limit": 3}, {"match": "chat:old", "ttl": 900000},
      {"match": "chat:*", "limit": 1000}]')`;
  });

  await t.test('a message that cannot be stored is not delivered, and a failed read is reported', async t => {
    const [ada, bob] = [await member(t, service, 'ada', ['chat:2']), await member(t, service, 'bob', ['chat:2'])];
    await sql`alter table service.channel_messages add constraint refused check (channel <> 'chat:2')`;
    say(ada, 'broadcast', 'chat:2', { event: 'lost' });
    t.equal(await refused(ada, 'chat:2'), 'CHANNEL_HISTORY_WRITE_FAILED');
    await sql`alter table service.channel_messages drop constraint refused`;
    await sql`alter function service_private.channel_history(text, bigint, integer) rename to away`;
    say(ada, 'channel_history', 'chat:2');
    t.equal(await refused(ada, 'chat:2'), 'CHANNEL_HISTORY_READ_FAILED');
    await sql`alter function service_private.away(text, bigint, integer) rename to channel_history`;
    say(ada, 'broadcast', 'chat:2', { event: 'kept' });
    t.match(await bob.next({ type: 'broadcast' }), { event: 'kept', seq: 1 }, 'no number is lost');
    t.same(bob.untaken, []);
  });

  await t.test('a message that is too large for a notification comes in its order', async t => {
    const [ada, bob] = [await member(t, service, 'ada', ['chat:3']), await member(t, service, 'bob', ['chat:3'])];
    for (const size of [1, 9_000, 1, 8_000, 200_000, 1]) say(ada, 'broadcast', 'chat:3', { event: 'x', payload: 'é'.repeat(size) });
    const heard = await broadcasts(bob, 6);
    t.same(heard.map(({ seq, payload }) => [seq, payload.length]), [[1, 1], [2, 9_000], [3, 1], [4, 8_000], [5, 200_000], [6, 1]]);
    await settled(ada);
    t.same(ada.untaken, []);
  });

  await t.test('eight at two gateways: dense numbers, the same order everywhere, also where notifications are lost', async t => {
    const other = await openService(url, realtimeFile(t, { channels: RULES }));
    t.teardown(other.close);
    const [one, two] = [await member(t, service, 'listener', ['chat:4']), await member(t, other, 'listener', ['chat:4'])];
    const speakers = await Promise.all(Array.from({ length: 8 },
      (_, i) => member(t, i % 2 === 0 ? service : other, `speaker ${i}`, ['chat:4'])));
    const deafened = (async () => { for (let i = 0; i < 5; i += 1) await sql.unsafe(DEAFEN); })();
    for (let i = 0; i < 40; i += 1) for (const [who, speaker] of speakers.entries()) {
      say(speaker, 'broadcast', 'chat:4', { event: 'x', payload: { who, i, ...(i % 10 === 0 && { large: 'x'.repeat(9_000) }) } });
    }
    await deafened;
    const [here, there] = [await broadcasts(one, 320), await broadcasts(two, 320)];
    t.same(here.map(({ seq }) => seq), Array.from({ length: 320 }, (_, i) => i + 1));
    t.same(there, here);
    for (const who of speakers.keys()) t.same(here.filter(({ payload }) => payload.who === who).map(({ payload }) => payload.i),
      Array.from({ length: 40 }, (_, i) => i), `${who} in its order`);
    const own = await broadcasts(speakers[1] as TestSocket, 280);
    t.same(own, here.filter(({ payload }) => payload.who !== 1));
  });

  await t.test('messages sent during an outage are delivered after it', async t => {
    const [ada, bob] = [await member(t, service, 'ada', ['chat:5']), await member(t, service, 'bob', ['chat:5'])];
    say(ada, 'broadcast', 'chat:5', { event: 'before' });
    await bob.next({ type: 'broadcast' });
    await sql.begin(async transaction => {
      await transaction.unsafe(DEAFEN);
      await transaction`select service_private.keep_messages('{chat:5}', '{meanwhile}', '{1}', '{null}')`;
    });
    t.match(await bob.next({ type: 'broadcast' }), { event: 'meanwhile', seq: 2 });
    say(ada, 'broadcast', 'chat:5', { event: 'after' });
    t.match(await bob.next({ type: 'broadcast' }), { event: 'after', seq: 3 });
  });
});
