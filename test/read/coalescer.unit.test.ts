import { mock } from 'node:test';
import { test, type Test } from 'tap';
import { createCoalescer, type Coalescable } from '../../gateway/catalog/coalescer.ts';
import { createCoalescing, isSlow, mostTogether, restFrom, wentAlone, wentTogether } from '../../gateway/catalog/coalescing.ts';
import type { Compiled } from '../../gateway/catalog/compiled.ts';
import type { Client, Lane, Row, Statement } from '../../gateway/database/lane.ts';

type Sent = { statement: Statement; parameters: readonly string[]; end: (rows: Row[]) => void; fail: (error: Error) => void };

/** Lanes whose statements end when the test says so. */
function heldLanes() {
  const sent: Sent[] = [];
  const rows: Lane['rows'] = (statement, parameters) => new Promise((resolve, reject) => {
    sent.push({ statement, parameters, end: resolve, fail: reject });
  });
  const lane = { rows } as Lane;
  return { sent, lanes: { point: lane, scan: lane } };
}

const bytes = (text: string) => Buffer.from(text);

/** Answers `{id}` to one id, and for several a row for each, the last first. */
function answer({ statement, parameters, end }: Sent): void {
  const id = parameters.at(-1) ?? '';
  if (statement.text !== 'many') return end([[bytes(id), bytes('tag')]]);
  end(idsOf(id).map((one, i) => [bytes(one), bytes('tag'), bytes(String(i + 1))]).reverse());
}

const idsOf = (array: string): string[] => array.slice(1, -1).split(',').map(id => id.replaceAll('"', ''));
const kept = { uses: 2, length: 1, lane: 'point' as const, enterFirst: false, revalidates: true };

function aGet(): Coalescable {
  const many: Compiled = { ...kept, text: 'many' };
  return { ...kept, text: 'one', coalescing: createCoalescing({ find: () => many, takes: ([id = '']) => /^\d+$/.test(id) }) };
}

const CLAIMS = { ann: ['ann', '', '', '', ''], bob: ['bob', '', '', '', ''] };
const claims = (uid: keyof typeof CLAIMS) => CLAIMS[uid];
const client: Client = { key: () => 'ann' };
const turn = () => new Promise(resolve => { setImmediate(resolve); });

/** Nothing that waits is sent before something ends, however slow the machine is. */
function holdTimers(t: Test): void {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => { mock.timers.reset(); });
}

/** Gets of these ids by one caller, whose two first go alone. */
function crowd(ids: number[], given: Partial<Client> = {}) {
  const { sent, lanes } = heldLanes();
  const coalescer = createCoalescer(lanes, { deadline: 1000 });
  const get = aGet();
  const asked = ids.map(id => coalescer.run(get, claims('ann'), [String(id)], { ...client, ...given }).then(row => String(row[0])));
  return { sent, coalescer, get, asked };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

test('what waits while two statements are under way goes as one, each with its own row', async t => {
  holdTimers(t);
  const { sent, get, asked } = crowd([1, 2, 3, 4, 5]);
  t.same(sent.map(({ parameters }) => parameters.slice(5)), [['1'], ['2']]);
  sent.forEach(answer);
  await turn();
  t.equal(sent.length, 3);
  t.same(idsOf(sent[2]?.parameters[5] ?? ''), ['3', '4', '5']);
  answer(sent[2] as Sent);
  t.same(await Promise.all(asked), ['1', '2', '3', '4', '5']);
  t.match(get.coalescing.counts, { alone: 2, coalesced: 3, statements: 1 });
});

/** As after many statements for several, which were fast. */
function measured({ coalescing }: Coalescable): void {
  coalescing.averages.coalesced = 0.01;
  coalescing.measured = 100;
}

test('at most 32 go as one, and less at first and where rows are large', async t => {
  holdTimers(t);
  const first = crowd(numbers(1, 100));
  first.sent.forEach(answer);
  await turn();
  t.same(first.sent.slice(2).map(({ parameters }) => idsOf(parameters[5] ?? '').length), [4, 4], 'until it is known how long that takes');
  const small = crowd(numbers(1, 100));
  measured(small.get);
  small.sent.forEach(answer);
  await turn();
  t.same(small.sent.slice(2).map(({ parameters }) => idsOf(parameters[5] ?? '').length), [32, 32]);
  const large = crowd(numbers(1, 100));
  measured(large.get);
  large.get.coalescing.averages.bytes = 100_000;
  large.sent[0]?.end([[Buffer.alloc(100_000), bytes('tag')]]);
  await turn();
  t.equal(idsOf(large.sent[2]?.parameters[5] ?? '').length, 11, '1 MiB');
});

test('while many come, those of one turn of the event loop go as one', async t => {
  holdTimers(t);
  const { sent, coalescer, get } = crowd([1]);
  get.coalescing.averages.together = 10;
  const asked = [2, 3, 4].map(id => coalescer.run(get, claims('ann'), [String(id)], client));
  t.equal(sent.length, 1, 'none before the end of the turn');
  await turn();
  t.same(idsOf(sent[1]?.parameters[5] ?? ''), ['2', '3', '4']);
  sent.forEach(answer);
  t.same((await Promise.all(asked)).map(([id]) => String(id)), ['2', '3', '4']);
});

test('gets of two callers are never in one statement', async t => {
  holdTimers(t);
  const { sent, lanes } = heldLanes();
  const coalescer = createCoalescer(lanes, { deadline: 1000, always: true });
  const get = aGet();
  measured(get);
  const asked = numbers(1, 20).map(id => coalescer.run(get, claims(id % 2 === 0 ? 'ann' : 'bob'), [String(id)], client));
  await turn();
  t.same(sent.map(({ parameters }) => [parameters[0], idsOf(parameters[5] ?? '').length]), [['bob', 10], ['ann', 10]]);
  sent.forEach(answer);
  t.same((await Promise.all(asked)).map(([id]) => Number(id)), numbers(1, 20));
});

test('a get whose client has left is dropped, and no other', async t => {
  holdTimers(t);
  let gone = false;
  const { sent, coalescer, get, asked } = crowd([1, 2]);
  const left = coalescer.run(get, claims('ann'), ['3'], { ...client, isGone: () => gone });
  const stays = coalescer.run(get, claims('ann'), ['4'], { ...client, isGone: () => false });
  const refused = t.rejects(left, { code: 'SERVICE_UNAVAILABLE' });
  gone = true;
  sent.forEach(answer);
  await turn();
  t.same(sent.slice(2).map(({ parameters }) => parameters.slice(5)), [['4']]);
  answer(sent[2] as Sent);
  t.equal(String((await stays)[0]), '4');
  await Promise.all([...asked, refused]);
});

test('a statement that fails is repeated for each get, but not for one that has waited too long', async t => {
  const { sent, lanes } = heldLanes();
  const coalescer = createCoalescer(lanes, { deadline: 500 });
  const get = aGet();
  const ask = (id: number) => coalescer.run(get, claims('ann'), [String(id)], client);
  const [, , ...early] = [1, 2, 3].map(ask);
  await new Promise(resolve => { setTimeout(resolve, 40); });
  t.equal(sent.length, 3, 'it has not waited for those under way');
  const late = [4, 5].map(ask);
  sent.slice(0, 2).forEach(answer);
  await turn();
  t.equal(sent.length, 4);
  sent[2]?.fail(new Error('its own'));
  sent[3]?.fail(new Error('of the statement'));
  await t.rejects(Promise.all(early), { message: 'its own' });
  await turn();
  t.same(sent.slice(4).map(({ parameters }) => parameters.slice(5)), [['4'], ['5']]);
  sent[4]?.fail(new Error('of row 4'));
  answer(sent[5] as Sent);
  await t.rejects(late[0] as Promise<Row>, { message: 'of row 4' });
  t.equal(String((await late[1] as Row)[0]), '5');
  t.ok(get.coalescing.rest > 0, 'from now on one by one');

  const next = aGet();
  const gets = [1, 2, 3, 4].map(id => coalescer.run(next, claims('ann'), [String(id)], client));
  const [one, two, three, four] = gets.map(asked => asked.then(String, (error: unknown) => (error as { code?: string }).code));
  await new Promise(resolve => { setTimeout(resolve, 600); });
  sent.at(-1)?.fail(new Error('of the statement'));
  sent.slice(-3).forEach(answer);
  t.same([await three, await four], ['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE']);
  await Promise.all([one, two]);
});

test('reads that are slower together go one by one for a while, the longer the oftener', t => {
  const coalescing = createCoalescing({ find: () => aGet(), takes: () => true });
  wentAlone(coalescing, 0.1);
  wentTogether(coalescing, 0.4, 8);
  t.notOk(isSlow(coalescing), 'they are faster');
  const rests = [1, 2, 3].map(() => {
    while (!isSlow(coalescing)) wentTogether(coalescing, 8 * 0.3, 8);
    let rest = 0;
    for (; isSlow(coalescing); rest++) wentAlone(coalescing, 0.1);
    return rest;
  });
  t.same(rests, [64, 128, 256]);
  for (let n = 0; n < 30; n++) wentAlone(coalescing, 10);
  t.ok(isSlow(coalescing), 'each is slow by itself');
  t.end();
});

test('a slow statement that ends after several were given up does not keep them from being tried again', t => {
  const coalescing = createCoalescing({ find: () => aGet(), takes: () => true });
  wentAlone(coalescing, 0.1);
  for (const milliseconds of [80, 90]) wentTogether(coalescing, milliseconds, 8); // both were under way
  while (isSlow(coalescing)) wentAlone(coalescing, 0.1);
  t.ok(mostTogether(coalescing) > 1, `${mostTogether(coalescing)} together`);
  t.end();
});

test('most of a crowd go together, also when the first statements for several were slow', async t => {
  let several = 0;
  const rows: Lane['rows'] = async (statement, parameters) => {
    await turn();
    const ids = statement.text === 'many' ? idsOf(parameters.at(-1) ?? '') : [parameters.at(-1) ?? ''];
    if (statement.text === 'many') several += 1;
    statement.onEnd?.(statement.text === 'one' ? 0.05 : several <= 3 ? 2 : 0.15); // each connection makes a plan
    return ids.map((id, i) => [bytes(id), bytes('tag'), ...(statement.text === 'many' ? [bytes(String(i + 1))] : [])]);
  };
  const lane = { rows } as Lane;
  const coalescer = createCoalescer({ point: lane, scan: lane }, { deadline: 1000 });
  const get = aGet();
  const wrong: string[] = [];
  await Promise.all(Array.from({ length: 64 }, async (_, n) => {
    for (let i = 0; i < 100; i++) {
      const [id] = await coalescer.run(get, claims('ann'), [String(n * 100 + i)], client);
      if (String(id) !== String(n * 100 + i)) wrong.push(`${n * 100 + i}: ${String(id)}`);
    }
  }));
  t.same(wrong, []);
  const { alone, coalesced, statements } = get.coalescing.counts;
  t.equal(alone + coalesced, 6400);
  t.ok(coalesced > 5000 && coalesced / statements > 8, JSON.stringify({ alone, coalesced, statements }));
});

test('statements that fail at once have several rest once', t => {
  const coalescing = createCoalescing({ find: () => aGet(), takes: () => true });
  for (let n = 0; n < 20; n++) restFrom(coalescing);
  t.match(coalescing, { rest: 64, nextRest: 128 });
  t.end();
});
