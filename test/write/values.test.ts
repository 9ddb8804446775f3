import { test } from 'tap';
import { createWriter, open } from './client.ts';

const TABLE = `
  create type mood as enum ('calm', 'it''s "fine"');
  create type point3 as (x integer, y integer);
  create domain percent as integer check (value between 0 and 100);
  create domain filled as text not null default 'x' check (value <> '');
  create table things (
    id integer generated always as identity primary key,
    small smallint, whole integer, big bigint, exact numeric, money2 numeric(6, 2), approx double precision, single real,
    flag boolean, text text, short varchar(5), fixed char(3), uid uuid, mood mood, share percent, filled filled,
    at timestamptz(3), local timestamp(3), day date, hour time, span interval, bytes bytea, address inet,
    doc jsonb, plain json, words text[], numbers integer[], grid integer[][], moments timestamp[],
    blobs bytea[], moods mood[], place point3);
  ${open('things')}`;

test('a failing input function is the value\'s fault, in any class of errors', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', setup: `
    create extension ltree; create extension hstore;
    create table kinds (id integer primary key, path ltree, paths ltree[], query lquery, settings hstore,
      class regclass, kind regtype, text text);
    create function drift() returns trigger language plpgsql as $$ begin if new.text = 'drift' then perform from nowhere;
    end if; return new; end $$;
    create trigger drift before insert on kinds for each row execute function drift();
    create table trees (path ltree primary key, name text); insert into trees values ('a.b', 'x');
    ${open('kinds', 'trees')}` });
  const cases = [
    ['path', 'a..b'], ['paths', ['a', 'b..c']], ['query', 'a.{'], ['settings', 'a=>'], ['class', 'nothing'], ['kind', 'no such type'],
  ] as const;
  for (const [field, value] of cases) {
    const [status, code, ...violations] = await refused('POST', 'kinds', { id: 1, text: 'x', [field]: value });
    t.same([status, violations], [400, [`${field}: type`]], field);
    t.match(code, /^PG_/, field);
  }
  t.same(await refused('POST', 'kinds', { id: 1, text: 'drift' }), [500, 'SCHEMA_DRIFT'], 'a statement of the database\'s own');
  t.equal((await send('POST', 'kinds', { id: 1, path: 'a.b', class: 'kinds', kind: 'text' })).status, 201);
  t.same(await refused('PATCH', 'trees/a..b', { name: 'y' }), [404, 'NOT_FOUND']);
  t.same(await refused('PATCH', 'trees/a.b', { name: 'y' }), [200, undefined]);
});

test('every type comes back as it was sent, digits and all', async t => {
  const { send } = await createWriter(t, { template: 'served', setup: TABLE });
  const kept = async (field: string, sent: string, shown = sent) => {
    const created = await send('POST', 'things', `{"${field}":${sent}}`);
    t.equal(created.status, 201, `${field} ${sent} ${created.text.slice(0, 300)}`);
    t.equal(shownIn(created.text, field), shown, `${field}: ${sent.slice(0, 60)}`);
    const changed = await send('PATCH', `things/${created.body.id as number}`, `{"${field}":${sent}}`);
    t.equal(shownIn(changed.text, field), shown, `${field}: ${sent.slice(0, 60)}, again`);
    t.equal(shownIn((await send('PATCH', `things/${created.body.id as number}`, `{"${field}":null}`)).text,
      field) , field === 'filled' ? shown : 'null');
  };
  await kept('small', '-32768');
  await kept('whole', '"42"', '42');
  await kept('whole', '4.0', '4');
  await kept('whole', '1e3', '1000');
  await kept('big', '9223372036854775807');
  await kept('exact', '123456789012345678901234567890.123456789012345678901234567890');
  await kept('exact', '1e400', `1${'0'.repeat(400)}`);
  await kept('exact', '"0.10"', '0.10');
  await kept('money2', '12.345', '12.35');
  await kept('approx', '1e-300');
  await kept('approx', '0.1');
  await kept('single', '0.5');
  await kept('flag', 'true');
  await kept('flag', '"false"', 'false');
  await kept('text', '"Ünïcödé 🦊 \\u202e \\"quoted\\" \\\\ \\n \'x\' ; drop table things; $1 %s"',
    '"Ünïcödé 🦊 \u202e \\"quoted\\" \\\\ \\n \'x\' ; drop table things; $1 %s"');
  await kept('text', '17', '"17"');
  await kept('text', `"${'x'.repeat(300_000)}"`);
  await kept('short', '"ÄÖÜßé"');
  await kept('fixed', '"ab"', '"ab "');
  await kept('uid', '"0190F0A4-7C3E-7D52-8B16-2B7A3F1C9D10"', '"0190f0a4-7c3e-7d52-8b16-2b7a3f1c9d10"');
  await kept('mood', '"it\'s \\"fine\\""');
  await kept('share', '100');
  await kept('at', '"2024-02-29T12:00:00.123456+05:30"', '"2024-02-29T06:30:00.123Z"');
  await kept('at', '"2024-02-29"', '"2024-02-29T00:00:00.000Z"');
  await kept('local', '"2024-02-29T12:00:00+02:00"', '"2024-02-29T10:00:00.000Z"');
  await kept('local', '"2024-02-29T12:00:00"', '"2024-02-29T12:00:00.000Z"');
  await kept('day', '"2024-02-29"');
  await kept('day', '"2024-02-29T23:59:59-11:00"', '"2024-02-29"');
  await kept('hour', '"23:59:59.5"');
  await kept('span', '"1 day 02:00:00"');
  await kept('bytes', '"AAH/"');
  await kept('bytes', '""');
  await kept('address', '"10.0.0.1"');
  await kept('doc', '{"a":[1.10,null,{"b":"\\u00e9"}],"n":12345678901234567890}',
    '{"a": [1.10, null, {"b": "é"}], "n": 12345678901234567890}');
  for (const json of ['[]', '{}', '"text"', '0', 'false']) await kept('doc', json);
  await kept('plain', '{"a": 1}');
  await kept('words', '["a,b","{}","\\"",null,""]');
  await kept('words', '[]');
  await kept('numbers', '[1,2,null]');
  await kept('grid', '[[1,2],[3,4]]');
  await kept('moments', '["2024-02-29T12:00:00+02:00",null]', '["2024-02-29T10:00:00.000Z",null]');
  await kept('blobs', '["AAH/",""]');
  await kept('moods', '["calm"]');
  t.equal((await send('POST', 'things', {})).body.filled, 'x', 'a domain that may not be null, left out, has its default');
});

/** The value of a field as its text stands in an answer. */
function shownIn(text: string, field: string): string {
  const rest = text.slice(text.indexOf(`"${field}":`) + field.length + 3);
  for (let end = 1; end <= rest.length; end++) {
    if (!/^[,}]/.test(rest.slice(end, end + 1))) continue;
    try {
      JSON.parse(rest.slice(0, end));
      return rest.slice(0, end);
    } catch { /* the value goes on */ }
  }
  return rest;
}

test('values that do not fit the type are refused by the name of their field', async t => {
  const { refused } = await createWriter(t, { template: 'served', setup: TABLE });
  const type = async (field: string, ...values: string[]) => {
    for (const value of values) t.same(await refused('POST', 'things', `{"${field}":${value}}`),
      [400, 'VALIDATION_INVALID_VALUE', `${field}: type`], `${field}: ${value}`);
  };
  await type('whole', '"x"', '1.5', '"1.5"', 'true', '{}', '[1]', '""', '"NaN"');
  await type('exact', '"nan"', '"inf"', '"0x10"', '" "');
  await type('flag', '1', '"yes"', '""');
  await type('text', 'true', '{}', '[]');
  await type('uid', '5');
  await type('at', '"now"', '"infinite"', '"tomorrow"', '5', '""');
  await type('bytes', '"AAH"', '"A-H_"', '5');
  await type('words', '"a"', '{}', '{"0":"a"}');
  const code = async (field: string, value: string, state: string, violation: string) => {
    t.same(await refused('POST', 'things', `{"text":"fine","${field}":${value}}`), [400, `PG_${state}`, `${field}: ${violation}`],
      `${field}: ${value.slice(0, 40)}`);
  };
  await code('small', '32768', '22003', 'type');
  await code('big', '9223372036854775808', '22003', 'type');
  await code('approx', '1e400', '22003', 'type');
  await code('money2', '12345', '22003', 'type');
  await code('uid', '"x"', '22P02', 'type');
  await code('at', '"2024-13-01"', '22008', 'type');
  await code('at', '"2024-01-01T00:00:00 nowhere"', '22007', 'type');
  await code('day', '"2023-02-29"', '22008', 'type');
  await code('address', '"10.0.0"', '22P02', 'type');
  await code('numbers', '[1,"x"]', '22P02', 'type');
  await code('grid', '[[1],[2,3]]', '22P02', 'type');
  await code('share', '101', '23514', 'check');
  t.same(await refused('POST', 'things', '{"short":"123456"}'), [400, 'VALIDATION_CONSTRAINT', 'short: max_length']);
  t.same(await refused('POST', 'things', '{"mood":"angry"}'), [400, 'VALIDATION_CONSTRAINT', 'mood: enum']);
  t.same(await refused('POST', 'things', '{"small":"x","flag":7,"short":"123456","mood":""}'),
    [400, 'VALIDATION_CONSTRAINT', 'flag: type', 'mood: enum', 'short: max_length', 'small: type'], 'all at once');
});

test('text that no database can store is refused as a whole', async t => {
  const { send, refused, sql } = await createWriter(t,
    { template: 'served', setup: `${TABLE} create table names (name text primary key); ${open('names')}` });
  t.same(await refused('POST', 'things', '{"text":"a\\u0000b"}'), [400, 'PG_22P05']);
  t.same(await refused('POST', 'things', '{"text":"\\ud800"}'), [400, 'PG_22P02']);
  t.same(await refused('POST', 'things', '{"doc":{"a\\u0000":1}}'), [400, 'PG_22P05']);
  t.same(await refused('POST', 'things', `{"exact":1e${'9'.repeat(6)}}`), [400, 'PG_22003']);
  t.same(await refused('POST', 'things', `{"doc":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), [400, 'VALIDATION_INVALID_VALUE'],
    'nested too deep');
  const long = Array.from({ length: 2_000 }, (_, i) => (i * 7919 % 104729).toString(36)).join('-');
  t.same(await refused('POST', 'names', { name: long }), [400, 'VALIDATION_INVALID_VALUE'], 'too long for its index');
  t.equal((await sql`select count(*)::int as n from things`)[0]?.['n'], 0);
  t.equal((await send('POST', 'things', '{"text":"a","text":"b"}')).body.text, 'b', 'of two values the last one');
});

test('a null in a JSON column is no value', async t => {
  const { send, sql } = await createWriter(t, { template: 'served', setup: TABLE });
  await send('POST', 'things', { doc: null });
  await send('POST', 'things', { doc: [null] });
  t.same(await sql`select doc is null as absent from things order by id`, [{ absent: true }, { absent: false }]);
});

test('vectors have their length', async t => {
  const { sql, send, refused, database } = await createWriter(t, { template: 'served' });
  const [available] = await sql`select from pg_available_extensions where name = 'vector'`;
  if (available === undefined) return void t.pass('this server has no pgvector');
  await sql.unsafe(`create extension vector; create table docs (id integer primary key, v vector(3)); ${open('docs')}`).simple();
  await database.catalog.refresh();
  t.same((await send('POST', 'docs', { id: 1, v: [1, 2.5, -3] })).body, { id: 1, v: [1, 2.5, -3] });
  for (const v of [[1, 2], '[1,2,3]', [1, 2, 'x'], {}]) {
    t.same(await refused('PATCH', 'docs/1', { v }), [400, 'VALIDATION_INVALID_VALUE', 'v: type'], JSON.stringify(v));
  }
});

test('names that need quoting are quoted', async t => {
  const { send, refused } = await createWriter(t, { template: 'served', setup: `
    create table "Odd ""Table""" (id integer generated always as identity primary key, "select" text,
      "a b" integer, "q""uote" text, "dollar$1" text, "ümlaut" text, "per%cent" text not null default '');
    ${open('"Odd ""Table"""')}` });
  const path = encodeURIComponent('Odd "Table"');
  const sent = { select: 'x', 'a b': 1, 'q"uote': '%s', dollar$1: '$2', ümlaut: 'ä', 'per%cent': '%I' };
  const created = await send('POST', path, sent);
  t.equal(created.status, 201, created.text);
  t.match(created.body, sent);
  t.match((await send('PATCH', `${path}/1`, { 'q"uote': '\'', 'per%cent': '%%' })).body, { 'q"uote': '\'', 'per%cent': '%%' });
  t.same(await refused('PATCH', `${path}/1`, { 'per%cent': null }), [400, 'PG_23502', 'per%cent: required']);
  t.same(await refused('PATCH', `${path}/1`, { 'a b': 'x' }), [400, 'VALIDATION_INVALID_VALUE', 'a b: type']);
});
