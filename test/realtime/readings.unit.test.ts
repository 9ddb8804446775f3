import { setImmediate } from 'node:timers/promises';
import { test } from 'tap';
import { anonymousCaller } from '../../gateway/identity/caller.ts';
import { createReadings, type Member, type Outcome } from '../../gateway/features/realtime/subscriptions/readings.ts';
import type { Update } from '../../gateway/features/realtime/subscriptions/update-frame.ts';

const request = { shape: { op: 'list' as const, path: ['notes'] }, values: [], sources: [] };
const TABLE = 1;

/** Reads that end when they are told to, with the state of when they began. */
function readings({ most = 10, pause = 0, sweep = 1e9 } = {}) {
  const state = { value: 0 };
  const begun: { end: (failure?: Error) => Promise<void> }[] = [];
  const own = createReadings({ most: () => most, pause, sweep, read: () => {
    const { promise, resolve, reject } = Promise.withResolvers<Update>();
    const update: Update = { position: String(state.value), type: 'collection_update', content: Buffer.from('') };
    begun.push({ end: async failure => {
      if (failure === undefined) resolve(update);
      else reject(failure);
      await setImmediate();
      await setImmediate();
    } });
    return promise;
  } });
  return { ...own, state, begun };
}

function member(): Member & { heard: string[] } {
  const heard: string[] = [];
  return {
    heard, told: undefined, isNew: true,
    tell(outcome: Outcome) {
      const news = 'update' in outcome ? outcome.update.position : String(outcome.failure);
      if (news !== this.told) heard.push(news);
      return news;
    },
  };
}

const tables = new Map([[TABLE, null]]);
const change = [{ relation: TABLE, keys: null }];

test('equal reads are one; a change while it is under way causes one more read', async t => {
  const { join, changed, begun, state, close } = readings();
  t.teardown(close);
  const [first, second] = [member(), member()];
  join(first, 'a', request, anonymousCaller, tables);
  join(second, 'a', request, anonymousCaller, tables);
  t.equal(begun.length, 1, 'one is never under way twice');
  await begun[0]?.end();
  t.same([first.heard, second.heard], [['0'], []], 'who came after it began is told of a later one');
  await begun[1]?.end();
  t.same([first.heard, second.heard], [['0'], ['0']], 'what is no news is not told');
  changed(change);
  state.value = 1;
  for (let n = 0; n < 100; n++) changed(change);
  t.equal(begun.length, 3);
  await begun[2]?.end();
  t.equal(begun.length, 4, 'writes that never end starve nobody, and are read together');
  await begun[3]?.end();
  t.same(first.heard, ['0', '1']);
  t.equal(begun.length, 4);
});

test('members that left get nothing, and no update is sent while the connection is lost', async t => {
  const { join, leave, changed, hold, begun, state, close } = readings();
  t.teardown(close);
  const [first, second] = [member(), member()];
  const reading = join(first, 'a', request, anonymousCaller, tables);
  join(second, 'b', request, anonymousCaller, tables);
  leave(reading, first);
  hold(true);
  await begun[0]?.end();
  await begun[1]?.end();
  changed(change);
  t.same([first.heard, second.heard, begun.length], [[], [], 2]);
  state.value = 1;
  hold(false);
  await begun[2]?.end();
  t.same([first.heard, second.heard], [[], ['1']]);
});

test('a change of another row, or of another table, causes no update; a failure is reported once', async t => {
  const { join, changed, begun, tables: wanted, close } = readings();
  t.teardown(close);
  const own = member();
  join(own, 'a', request, anonymousCaller, new Map([[TABLE, '5']]));
  await begun[0]?.end();
  t.same([...wanted()], [[TABLE, true]]);
  changed([{ relation: TABLE, keys: ['4', '6'] }, { relation: 2, keys: null }]);
  t.equal(begun.length, 1);
  changed([{ relation: TABLE, keys: ['5'] }]);
  await begun[1]?.end(new Error('away'));
  changed([{ relation: TABLE, keys: null }]);
  await begun[2]?.end(new Error('away'));
  t.same(own.heard, ['0', 'Error: away']);
});

test('so many at once, the others in turn', async t => {
  const { join, begun, close } = readings({ most: 2 });
  t.teardown(close);
  const members = ['a', 'b', 'c'].map(key => {
    const own = member();
    join(own, key, request, anonymousCaller, tables);
    return own;
  });
  t.equal(begun.length, 2);
  await begun[0]?.end();
  t.equal(begun.length, 3);
  await begun[2]?.end();
  t.same(members.map(({ heard }) => heard.length), [1, 0, 1]);
});
