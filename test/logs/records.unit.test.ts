import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { test } from 'tap';
import { eventOf } from '../../gateway/features/logs/streams.ts';
import { createOutbox, FLUSH, RECORDS } from '../../gateway/logs/outbox.ts';
import { readLine } from '../../gateway/logs/line.ts';
import { errorSerializer } from '../../gateway/logs/logged-error.ts';
import type { Level, LineRecord, LogRecord, RequestRecord, Source } from '../../gateway/logs/record.ts';
import { LogRing } from '../../gateway/logs/ring.ts';
import { localBus } from '../../gateway/process/bus/bus.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { until } from '../harness/until.ts';

const SECRET = 'Needle-in-the-haystack';
const ALL = { limit: 10_000, offset: 0 };
const request = (n: number): RequestRecord => [n, 'GET', `/api/${n}`, 200, 1, 'id', undefined];
const line = (message: string, more: Partial<LineRecord> = {}): LineRecord =>
  ({ time: 0, level: 'info', source: 'system', message, metadata: {}, ...more });
const parsed = (texts: readonly string[]) => texts.map(text => JSON.parse(text) as { id: string; message: string });

test('the ring keeps the last entries, under the numbers that they had', async t => {
  const ring = new LogRing(10);
  t.same(await ring.newest({}, ALL), { entries: [], total: 0, last: 0 });
  ring.add(Array.from({ length: 25 }, (_, n) => request(n + 1)));
  const { entries, total, last } = await ring.newest({}, ALL);
  t.same(parsed(entries).map(({ id }) => id), Array.from({ length: 10 }, (_, n) => `log_${25 - n}`));
  t.same([total, last], [10, 25]);
  t.match(ring.after(23, {}, 10), { count: 2, dropped: 0, last: 25 });
  t.match(ring.after(5, {}, 4), { count: 4, dropped: 16, last: 25 }, 'ten are overwritten, six are too many');
  t.match(ring.after(25, {}, 4), { entries: '[]', count: 0, dropped: 0, last: 25 });
});

test(`what is found is what a list would hold (RANDOM_SEED=${seed})`, async t => {
  const below = generator(seed);
  const levels: Level[] = ['info', 'warn', 'error'];
  const sources: Source[] = ['api', 'auth', 'system'];
  for (let run = 0; run < runs(100); run++) {
    const size = 1 + below(50);
    const ring = new LogRing(size);
    const model: { number: number; line: LineRecord }[] = [];
    for (let number = 1; number <= below(120); number++) {
      const [level, source] = [levels[below(3)], sources[below(3)]];
      const record = line(`Text ${below(5)}`, { time: below(20), ...(level && { level }), ...(source && { source }) });
      ring.add([record]);
      model.push({ number, line: record });
    }
    const filter = {
      ...(below(2) === 0 && { levels: levels.slice(below(3)) }), ...(below(2) === 0 && { sources: sources.slice(below(3)) }),
      ...(below(2) === 0 && { since: below(20) }), ...(below(2) === 0 && { search: `tEXT ${below(5)}` }),
    };
    const kept = model.slice(-size).filter(({ line: { level, source, time, message } }) =>
      (filter.levels?.includes(level) ?? true) && (filter.sources?.includes(source) ?? true)
      && time >= (filter.since ?? 0) && message.toLowerCase().includes((filter.search ?? '').toLowerCase()));
    const [limit, offset] = [1 + below(20), below(10)];
    const { entries, total } = await ring.newest(filter, { limit, offset });
    t.equal(total, kept.length);
    t.same(parsed(entries).map(({ id }) => id), kept.toReversed().slice(offset, offset + limit).map(({ number }) => `log_${number}`));
    const { entries: appended } = ring.after(0, filter, limit);
    t.same((JSON.parse(appended) as { id: string }[]).map(({ id }) => id), kept.slice(-limit).map(({ number }) => `log_${number}`));
  }
});

test('an outbox keeps what is said before there is a ring, and sends on demand', async t => {
  const bus = localBus();
  const heard: LogRecord[] = [];
  bus.answer(RECORDS, records => { heard.push(...records); });
  const outbox = createOutbox();
  outbox.add(line('before'));
  await setTimeout(50);
  t.same(heard, []);
  const disconnect = outbox.connect(bus);
  t.same(heard, [line('before')]);
  outbox.add(line('after'));
  await bus.announce(FLUSH, null);
  t.equal(heard.length, 2);
  for (let n = 0; n < 250; n++) outbox.add(request(n));
  await until('all', () => heard.length === 252);
  outbox.add(line('last'));
  await disconnect();
  t.same(heard.at(-1), line('last'));
});

/** Log lines may hold anything: what moves a terminal, ends an event, is no character. */
const ODD = [
  'a\nb\r\nc', 'event: append\ndata: {}\n\n', '\u001b[2J\u009b1m\u202e', 'half \ud800 and \udc00', '\0', '\u2028\u2029', '💩'.repeat(3_000),
];

test('log text of any kind comes whole through an event, and ends none', t => {
  for (const text of ODD) {
    const ring = new LogRing();
    ring.add([line(text)]);
    const event = eventOf('append', `{"entries":${ring.after(0, {}, 1).entries}}`);
    t.match(event, /^event: append\ndata: [^\r\n]+\n\n$/);
    t.equal((JSON.parse(event.slice('event: append\ndata: '.length)) as { entries: LineRecord[] }).entries[0]?.message, text);
  }
  t.end();
});

test('a line of the log is kept with its fields that are known to hold no secret', t => {
  const lines: string[] = [];
  const log = pino({ serializers: { err: errorSerializer(false) } }, { write: (text: string) => { lines.push(text); } });
  const cause = Object.assign(new Error(`at postgres://me:${SECRET}@db/x?password=${SECRET}`), { code: 'ECONNREFUSED', token: SECRET });
  const err = new Error('outer', { cause });
  log.child({ worker: 2, source: 'auth' }).error({ requestId: 'r', durationMs: 3, links: [SECRET], statement: SECRET, err }, 'said\nhere');
  const found = readLine(lines[0] ?? '');
  t.match(found, {
    level: 'error', source: 'auth', message: 'said\nhere',
    metadata: { worker: 2, requestId: 'r', duration: 3, error: { type: 'Error', message: 'outer', cause: { code: 'ECONNREFUSED' } } },
  });
  t.same(Object.keys(found.metadata).sort(), ['duration', 'error', 'requestId', 'worker']);
  t.notMatch(JSON.stringify(found), SECRET);
  for (const text of ODD) {
    log.info(text);
    const { message } = readLine(lines.at(-1) ?? '');
    t.equal(message, text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text);
  }
  t.end();
});

/** An error of PostgreSQL, as the driver makes it. */
function databaseError(code: string, message: string): Error {
  const fields = { code, severity: 'ERROR', detail: SECRET, hint: SECRET, where: SECRET, table_name: 'books' };
  const error = Object.assign(new Error(message), fields);
  return Object.defineProperties(error, { query: { value: `select '${SECRET}'` }, parameters: { value: [SECRET] } });
}

test('an error is logged without values, SQL and credentials, nor are its causes\' causes', t => {
  const serialize = errorSerializer(false);
  const secretive = [
    databaseError('22P02', `invalid input syntax for type integer: "${SECRET}"and"${SECRET}"`),
    databaseError('23505', 'duplicate key value violates unique constraint "books_pkey"'),
    databaseError('P0001', `no more ${SECRET}`), databaseError('GW400', SECRET),
    databaseError('42601', `syntax error at or near "${SECRET}"`),
    ...[`{"a": ${SECRET}`, `${SECRET}"it's'`, `'${SECRET}'`].map(text => thrownBy(() => { JSON.parse(text); })),
    new Error(`https://user:${SECRET}@example.org/path?token=${SECRET}#${SECRET}`),
    new Error(`line\n    at ${SECRET} (`.replace(` at ${SECRET}`, ''), { cause: SECRET }),
  ];
  for (const error of secretive) {
    const nested = new Error('one', { cause: new Error('two', { cause: error }) });
    t.notMatch(JSON.stringify(serialize(nested)), SECRET, error.message);
    t.match(serialize(nested), { message: 'one', cause: { message: 'two', cause: { type: error.constructor.name, stack: /^\s+at / } } });
  }
  t.match(serialize(secretive[1]), { code: '23505', table_name: 'books', message: /books_pkey/ });
  const loop = new Error('loop');
  loop.cause = loop;
  t.ok(JSON.stringify(serialize(loop)).length < 100_000);
  t.match(errorSerializer(true)(secretive[0]), { query: /select/, detail: SECRET, message: new RegExp(SECRET) }, 'unless it is asked for');
  t.equal(serialize(SECRET), undefined);
  t.end();
});

function thrownBy(run: () => void): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown.');
}
