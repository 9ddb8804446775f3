import fc from 'fast-check';
import { test } from 'tap';
import { packed, unpacked, wordOf } from '../../gateway/features/realtime/channels/bus/wire.ts';
import { createDelivery } from '../../gateway/features/realtime/channels/delivery.ts';
import { diffFrame } from '../../gateway/features/realtime/channels/frames.ts';
import { PRESENCE_LIFE, Presences } from '../../gateway/features/realtime/channels/presences.ts';
import { Room } from '../../gateway/features/realtime/channels/room.ts';
import type { Session } from '../../gateway/features/realtime/session.ts';

/** Events of a channel that keeps its messages, one after the other. */
const EVENT = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('keep' as const), isLarge: fc.boolean(), isHeard: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('answer' as const), isFailure: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'again' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'prune' as const }) },
);

test('messages are delivered in order and once, despite losses, delays and pruning', async t => {
  await fc.assert(fc.asyncProperty(fc.array(EVENT, { maxLength: 40 }), async events => {
    const stored: { seq: number; sender: null; frame: string }[] = [];
    const [pruned, told] = [new Set<number>(), [] as number[]];
    const questions: ((isFailure: boolean) => void)[] = [];
    let last = 0;
    /** A query is answered when the run says so, with the state of that moment. */
    const ask = <T>(answer: () => T): Promise<T> => new Promise((resolve, reject) => {
      questions.push(isFailure => { if (isFailure) reject(new Error('away')); else resolve(answer()); });
    });
    const delivery = createDelivery('chat', {
      since: (_, seq) => ask(() => stored.filter(message => message.seq > seq).slice(0, 3)),
      latest: () => ask(() => last),
    }, frame => { told.push(Number(frame)); }, () => Promise.resolve());
    const turns = () => new Promise(resolve => { setImmediate(resolve); });
    const answer = async (isFailure: boolean) => { questions.shift()?.(isFailure); await turns(); };
    await answer(false);
    await delivery.begun;
    for (const event of events) {
      if (event.kind === 'keep') {
        stored.push({ seq: last += 1, sender: null, frame: String(last) });
        if (event.isHeard) {
          delivery.heard({ kind: 'message', channel: 'chat', seq: last, sender: '', ...(!event.isLarge && { frame: String(last) }) });
        }
      } else if (event.kind === 'answer') await answer(event.isFailure);
      else if (event.kind === 'again') delivery.again();
      else for (const { seq } of stored.splice(0, 2)) pruned.add(seq);
      await turns();
    }
    delivery.again();
    await turns();
    while (questions.length > 0) await answer(false);
    const all = Array.from({ length: last }, (_, i) => i + 1);
    return JSON.stringify(told) === JSON.stringify([...told].sort((a, b) => a - b)) && new Set(told).size === told.length
      && all.every(seq => told.includes(seq) || pruned.has(seq));
  }), { numRuns: 300 });
  t.pass();
});

test('a roster is right about members that come and go while it is read', async t => {
  const { promise, resolve } = Promise.withResolvers<[string, string][]>();
  const room = new Room('room');
  const roster = room.roster(() => promise);
  room.tellPresence(diffFrame('room', { joins: new Map([['came', '{"n":1}'], ['both', '{}']]) }));
  room.tellPresence(diffFrame('room', { joins: new Map([['came', '{"n":2}']]), leaves: new Map([['left', '{}'], ['both', '{}']]) }));
  resolve([['stays', '{"s":[1.50]}'], ['left', '{}']]);
  t.equal(await roster, '{"type":"presence_state","channel":"room","presences":{"stays":{"s":[1.50]},"came":{"n":2}}}');
});

test('messages between gateways arrive unchanged, in notifications that PostgreSQL carries', t => {
  let count = 0;
  const heading = () => `gateway ${count += 1}`;
  fc.assert(fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 200 }), fc.json(), fc.nat(4_000))), said => {
    const words = said.map(([channel, frame, size]) => wordOf('gateway 9007199254740991', 'broadcast', channel, frame + ' '.repeat(size)));
    const known = words.filter(word => word !== undefined);
    const notifications = packed(known, heading);
    const heard = notifications.flatMap(text => unpacked(text).words);
    return notifications.every(text => Buffer.byteLength(text) < 8_000) && new Set(notifications).size === notifications.length
      && JSON.stringify(heard) === JSON.stringify(said.filter((_, i) => words[i] !== undefined).map(([channel, frame, size]) =>
        ({ kind: 'broadcast', channel, frame: frame + ' '.repeat(size) })));
  }));
  t.equal(wordOf('gateway', 'broadcast', 'room', 'x'.repeat(8_000)), undefined);
  t.same(unpacked('gateway\x1eof a later version\x1f"room"').words, []);
  t.end();
});

test('a member without heartbeats is present for 30 seconds', t => {
  const [ada, bob] = [{ id: 'ada' }, { id: 'bob' }] as [Session, Session];
  const presences = new Presences();
  presences.said(ada, 'room', 0);
  presences.said(bob, 'room', 1_000);
  presences.said(bob, 'hall', 2_000);
  presences.said(ada, 'room', 20_000);
  presences.forget(bob, 'hall');
  t.equal(PRESENCE_LIFE, 30_000);
  t.same(presences.expired(30_999), []);
  t.match(presences.expired(31_000), [{ session: bob, channel: 'room' }]);
  t.same(presences.expired(49_999), []);
  t.match(presences.expired(50_000), [{ session: ada, channel: 'room' }]);
  t.same(presences.expired(90_000), []);
  t.end();
});
