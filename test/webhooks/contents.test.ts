// Rows with anything that a column can hold: each is an event, its body is JSON, and it arrives byte for byte.
import { test } from 'tap';
import { generator, runs, seed } from '../harness/effort.ts';
import { createHooked, createReceiver, hook } from './receiver.ts';

const TABLE = `
  create type mood as enum ('so-so', 'it''s "fine"');
  create type pair as (a numeric, "B c" text);
  create type nest as (p pair, ps pair[]);
  create domain small as json check (length(value::text) < 1000);
  create table things (
    id integer primary key, t text, c char(5), n numeric, f double precision, r real, b bytea, j json, jb jsonb, d small, p pair, x nest,
    ts text[], ps pair[], js json[], m mood, u uuid, i interval, at timestamptz, plain timestamp, day date, clock timetz,
    ip inet, bits bit varying, spot point, span int4multirange, words tsvector, cash money, doc xml, "odd ""name"" ü" text
  )`;

/** Texts by column, as SQL reads them. */
const TEXTS = [
  '', ' ', 'plain', '"', '\\', '\\u0000', '\\"', '\n\r\t\b\f', '\u0001\u001f\u007f', '\u2028\u2029', '😀', 'ü'.repeat(70),
  '\uffff', '</script>', 'null', '{}', '\',', '$1', 'a\u0301', '\u202e', 'x'.repeat(100_000), '"\\'.repeat(5_000),
];
const JSONS = [
  '1', 'null', '"\\u0000"', '"\\ud83d"', '"\\ude00\\ud83d"', '{"a":1,"a":2}', '{"a":{"b":1,"b":[]}}', '1e999999', '-0.0', '1E5', '[]',
  ' { "a" : [ 1 , 2 ] } ', '{"":""}', '"\\/\\u00e4"', `${'['.repeat(500)}${']'.repeat(500)}`, '12345678901234567890.12300',
  '{"__proto__":{"a":1}}',
];
const VALUES: Record<string, string[]> = {
  t: TEXTS, c: ['a', 'abc  ', ''], 'odd "name" ü': TEXTS, j: JSONS, js: ['{}', '{"{\\"a\\":1,\\"a\\":2}"}', '{"\\"\\\\u0000\\"",null}'],
  d: JSONS.filter(text => text.length < 900), jb: ['1', '{"b":1,"a":2,"a":3}', '[1,[2,[3]]]', '-0.0', '1.10', '"\\u00e4"', 'null'],
  n: ['NaN', 'Infinity', '-Infinity', '0.000', '-0', '1e1000', '1e-1000', '123456789012345678901234567890.10'],
  f: ['NaN', 'Infinity', '-Infinity', '-0', '1e308', '5e-324', '0.1', '123456789.123456789'], r: ['NaN', 'Infinity', '1e-45', '0.1'],
  b: ['\\x', '\\x00ff10', `\\x${'00'.repeat(50_000)}`], p: ['(,)', '(NaN,"")', '(1.50,"a ""b"" \\\\ c")'],
  x: ['(,)', '("(Infinity,x)","{""(1,2)"",NULL}")'], ts: ['{}', '{NULL,"NULL",""}', '{{a,b},{c,d}}', '[2:3]={x,y}'],
  ps: ['{"(1,a)",NULL}', '{}'], m: ['so-so', 'it\'s "fine"'], u: ['01234567-89AB-4DEF-8123-456789ABCDEF'],
  i: ['1 year -2 days 03:04:05.006', '-00:00:00.000001', '178000000 years'],
  at: ['infinity', '-infinity', '4713-01-01 BC', '294276-12-31 23:59:59.999999+00', '2026-01-31 12:00:00.123456+02'],
  plain: ['infinity', '0044-03-15 BC 12:00'], day: ['infinity', '5874897-12-31', '2024-02-29'], clock: ['24:00:00-15:59', '12:00+02'],
  ip: ['::1/64', '10.0.0.0/8'], bits: ['', '0101'], spot: ['(NaN,Infinity)', '(1,2)'], span: ['{}', '{[1,2),[5,)}'],
  words: ['\'a b\':1A,2 \'c\'', ''], cash: ['-1234.50'], doc: ['<a b="c">&lt;\n</a>'],
};

test('whatever a row holds, its event is JSON, is sent as it is stored, and none is lost', async t => {
  console.log(`# RANDOM_SEED=${seed}`);
  const pick = generator(seed);
  const receiver = await createReceiver(t);
  const { sql, over } = await createHooked(t, [hook(receiver.url, { table: 'things' })], {
    setup: `${TABLE}; create table orders ();`,
  });
  const columns = Object.keys(VALUES);
  const count = runs(400);
  const quoted = (text: string) => `'${text.replaceAll('\'', '\'\'')}'`;
  for (let id = 1; id <= count; id++) {
    const given = columns.filter(() => pick(4) === 0);
    const values = given.map(column => VALUES[column]?.[pick(VALUES[column].length)] ?? '');
    const names = ['id', ...given].map(name => `"${name.replaceAll('"', '""')}"`);
    await sql.unsafe(`insert into things (${names.join(', ')}) values (${[String(id), ...values.map(quoted)].join(', ')})`);
    if (pick(3) === 0) await sql.unsafe(`update things set t = 'changed', n = n + 1 where id = ${id}`);
    if (pick(3) === 0) await sql.unsafe(`delete from things where id = ${id}`);
  }
  const jobs = await over();
  t.equal(jobs.filter(({ status }) => status !== 'succeeded').length, 0);
  t.equal(receiver.received.length, jobs.length);
  t.same(receiver.received.map(({ body }) => body).sort(), jobs.map(({ payload }) => payload.body).sort(), 'as they are stored');
  const told = jobs.map(({ payload }) => JSON.parse(payload.body) as { type: string; record: { id: number }; old_record?: object });
  t.same(told.filter(({ type }) => type === 'INSERT').map(({ record }) => record.id).sort((a, b) => a - b),
    Array.from({ length: count }, (_, n) => n + 1));
  await sql.unsafe('set timezone = \'UTC\'');
  const last = new Map(told.map(({ type, record }) => [record.id, { type, record }]));
  let same = 0;
  for (const { id } of await sql<{ id: number }[]>`select id from things`) {
    const [row] = await sql<{ row: object }[]>`select to_jsonb(whole) as row from things whole where id = ${id}`.catch(() => []);
    if (row === undefined) continue; // a json that no jsonb can hold is sent as its text
    t.same(last.get(id)?.record, row.row, `row ${id}`);
    same += 1;
  }
  t.ok(same > 0);
});

test('a text of many megabytes arrives', async t => {
  const receiver = await createReceiver(t);
  const { sql, over } = await createHooked(t, [hook(receiver.url)]);
  await sql`insert into orders (id, name) values (1, repeat(${'"\\ü😀\u0001'}, 1000000))`;
  t.match(await over(), [{ status: 'succeeded', attempts: 1 }]);
  const { record } = JSON.parse(receiver.received[0]?.body ?? '') as { record: { name: string } };
  t.ok(record.name === '"\\ü😀\u0001'.repeat(1_000_000));
});
