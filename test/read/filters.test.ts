import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open, query, reader } from './client.ts';

// Row 1 and 2 hold values, row 3 nothing but its id.
const service = await createService(t, {
  template: 'served',
  setup: `
    create extension citext;
    create type mood as enum ('low', 'mid', 'high');
    create type pair as (a integer, b text);
    create type vector as enum ('[1,2]', '[3,4]');
    create domain percent as numeric(5,2) check (value between 0 and 100);
    create table kinds (
      id integer primary key, text text, varchar varchar(20), bpchar char(5), citext citext, uuid uuid, small smallint, big bigint,
      num numeric, real real, double double precision, money money, flag boolean, mood mood, percent percent,
      day date, local timestamp, moment timestamptz, clock time, clock_tz timetz, span interval,
      bits bit(4), inet inet, range int4range, point point, xml xml, pair pair, embedding vector, bytes bytea,
      plain json, map jsonb, words tsvector, twice integer generated always as (id * 2) stored);
    insert into kinds values (1, 'Ängström, (50%) \\ "x" 🙂', 'abc', 'ab', 'Mixed', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
      -5, 9007199254740993,
      12345678901234567890.123456789, 1.5, 0.1, 12.50, true, 'low', 12.5,
      '2024-02-29', '2024-02-29 23:59:59.123456', '2024-02-29 23:59:59.123456+02', '10:30', '10:30+02', '1 day 02:00',
      B'1010', '10.0.0.1', '[1,5)', '(1,2)', '<a/>', row(1, 'x'), '[1,2]', '\\x00ff', '{"b": 1,  "a": 2}',
      '{"country": "de", "age": 7, "deep": {"city": "Köln"}, "ok": true, "list": ["a", "b"]}', 'cat');
    insert into kinds values (2, 'plain', 'xyz', 'abcde', 'other', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 7, -1,
      'NaN', 'Infinity', '-Infinity', -3, false, 'high', 100,
      'infinity', '-infinity', '2025-01-01 00:00Z', '23:00', '23:00Z', '2 months',
      B'0000', '10.0.0.0/8', 'empty', '(3,4)', '<b/>', row(2, null),
      '[3,4]', '', '[]', '{"country": "fr", "age": "n/a", "huge": "1e99999"}', 'dog');
    insert into kinds (id) values (3);
    create table lists (
      id integer primary key, ints integer[], texts text[], moods mood[], uuids uuid[], stamps timestamp[],
      moments timestamptz[], days date[],
      nums numeric[], percents percent[], chars char(3)[], flags boolean[], xmls xml[], blobs bytea[]);
    insert into lists values
      (1, '{1,2}', '{a,"b,c",NULL}', '{low,high}', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}',
        '{2024-01-01 12:00}', '{2024-01-01 12:00Z}', '{2024-01-01,infinity}',
        '{1.50,NaN}', '{12.5}', '{ab}', '{t,f}', '{<a/>}', '{"\\\\x00ff"}'),
      (2, '{2,3}', '{x}', '{mid}', '{b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}', '{2025-01-01 00:00}',
        '{2025-01-01 00:00Z}', '{}', '{{1,2},{3,4}}', '{1}', '{xyz}', '{t}', '{}', '{}'),
      (3, null, null, null, null, null, null, null, null, null, null, null, null, null);
    create domain labels as jsonb;
    create table documents (id integer primary key, tags jsonb, plain json, labels labels);
    insert into documents select id, tags, tags, tags from (values
      (1, '["a", "b,c", 2, 1.50, true, null, "A"]'::json), (2, '["x", ["a"], {"a": 1}]'), (3, '[]'),
      (4, '{"a": "a"}'), (5, '"a"'), (6, '2'), (7, 'null'), (8, null)) v (id, tags);
    insert into documents (id, plain) values (9, '{"a": "\\u0000"}');
    ${open('kinds', 'lists', 'documents')}`,
});

type Case = [filter: string, ids: number[]];

/** Each case: a query string and the ids it finds, in order. */
function cases(name: string, collection: string, list: Case[]): void {
  test(name, async t => {
    const { column } = client(t, service);
    for (const [filter, ids] of list) t.same(await column(`${collection}?orderBy=id&${filter}`), ids, filter);
  });
}

/** Every operator: its symbol, its code, a field, a value, and the ids. */
const operators: [symbol: string, code: string, field: string, value: string | string[] | null, ids: number[]][] = [
  ['==', 'eq', 'varchar', 'abc', [1]],
  ['!=', 'neq', 'varchar', 'abc', [2]],
  ['>', 'gt', 'small', '-5', [2]],
  ['>=', 'gte', 'small', '-5', [1, 2]],
  ['<', 'lt', 'small', '7', [1]],
  ['<=', 'lte', 'small', '7', [1, 2]],
  ['in', 'in', 'varchar', ['abc', 'x,(y)\\'], [1]],
  ['not-in', 'nin', 'varchar', ['abc', 'x,(y)\\'], [2]],
  ['like', 'like', 'varchar', 'a%', [1]],
  ['ilike', 'ilike', 'varchar', 'A%', [1]],
  ['not-like', 'nlike', 'varchar', 'a%', [2]],
  ['not-ilike', 'nilike', 'varchar', 'A%', [2]],
  ['is-null', 'isnull', 'varchar', null, [3]],
  ['is-not-null', 'notnull', 'varchar', null, [1, 2]],
];

const escaped = (text: string) => text.replaceAll(/[\\,()]/g, '\\$&');
const operand = (value: string | string[] | null) => Array.isArray(value) ? `(${value.map(escaped).join(',')})` : value ?? 'null';

test('every operator means the same in every spelling', async t => {
  const { column } = client(t, service);
  for (const [symbol, code, field, value, ids] of operators) {
    const dot = `${code}.${operand(value)}`;
    const spellings: Record<string, unknown>[] = [
      { [field]: dot },
      { where: { [field]: [symbol, value] } },
      { where: { [field]: [code, value] } },
      { where: { [field]: [[symbol, value]] } },
      { where: { [field]: dot } },
      { where: { [field]: [dot] } },
      { and: `(${field}.${dot})` },
      { or: `${field}.${symbol}.${operand(value)}` },
    ];
    for (const spelling of spellings) t.same(await column(`kinds?orderBy=id&${query(spelling)}`), ids, JSON.stringify(spelling));
  }
});

test('array operators mean the same in every spelling', async t => {
  const { column } = client(t, service);
  for (const spelling of [
    { ints: 'cs.3' }, { where: { ints: ['array-contains', 3] } }, { where: { ints: ['cs', '3'] } }, { where: { ints: 'cs.3' } },
    { and: '(ints.cs.3)' }, { where: { ints: ['array-contains-any', 3] } },
  ]) {
    t.same(await column(`lists?orderBy=id&${query(spelling)}`), [2], JSON.stringify(spelling));
  }
  for (const spelling of [
    { ints: 'csa.(1,9)' }, { where: { ints: ['array-contains-any', [1, 9]] } }, { where: { ints: ['csa', ['1', '9']] } },
    { where: { ints: 'csa.(1,9)' } }, { and: '(ints.csa.(1,9))' },
  ]) {
    t.same(await column(`lists?orderBy=id&${query(spelling)}`), [1], JSON.stringify(spelling));
  }
});

cases('null tests take their meaning from the operator alone', 'kinds', [
  ['varchar=isnull.', [3]], ['varchar=isnull.whatever', [3]], ['varchar=notnull.false', [1, 2]],
  [query({ where: { varchar: null } }), [3]],
  [query({ where: { varchar: ['==', null] } }), [3]], [query({ where: { varchar: ['!=', null] } }), [1, 2]],
  [query({ where: { varchar: ['in', null] } }), [3]], [query({ where: { varchar: ['not-in', null] } }), [1, 2]],
  ['varchar=eq.null', []],
  ...['point', 'xml', 'pair', 'bytes', 'map', 'plain'].flatMap((field): Case[] =>
    [[`${field}=isnull.`, [3]], [`${field}=notnull.`, [1, 2]]]),
]);

cases('several conditions on one field are ANDed, bare values are a set', 'kinds', [
  ['small=gte.-5&small=lt.7', [1]],
  [query({ where: { small: [['>=', -5], ['<', 7]] } }), [1]],
  [query({ where: { small: ['gte.-5', 'lt.7'] } }), [1]],
  [`small=gte.-5&${query({ where: { small: ['<', 7] } })}`, [1]],
  [`small=7&${query({ where: { small: -5 } })}`, []],
  ['varchar=abc&varchar=xyz', [1, 2]],
  [query({ where: { varchar: ['abc', 'xyz', 'q'] } }), [1, 2]],
]);

cases('lists', 'kinds', [
  ['small=in.(-5,8)', [1]], ['small=nin.(-5,8)', [2]],
  ['varchar=in.(\\)', []], ['varchar=nin.(\\)', [1, 2, 3]],
  [query({ where: { small: ['in', []] } }), []], [query({ where: { small: ['not-in', []] } }), [1, 2, 3]],
  ['varchar=in.()', []], ['varchar=in.(abc, xyz)', [1]],
  [query({ where: { small: ['in', 7] } }), [2]], [query({ where: { small: ['not-in', 7] } }), [1]],
  [query({ where: { flag: ['in', [true]] } }), [1]],
  [`small=in.(${Array.from({ length: 1500 }, (_, i) => i).join(',')})`, [2]],
  ['mood=in.(low,mid)', [1]], ['uuid=in.(a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11)', [1]],
  ['moment=in.(2024-02-29T21:59:59.123456Z,2000-01-01)', [1]], ['local=in.(2024-03-01T01:59:59.123456%2B02:00)', [1]],
]);

cases('text is compared as it was sent', 'kinds', [
  [query({ text: 'eq.Ängström, (50%) \\ "x" 🙂' }), [1]],
  [query({ where: { text: ['==', 'Ängström, (50%) \\ "x" 🙂'] } }), [1]],
  [query({ text: `in.(${escaped('Ängström, (50%) \\ "x" 🙂')})` }), [1]],
  [query({ and: `(text.eq.${escaped('Ängström, (50%) \\ "x" 🙂')})` }), [1]],
  [query({ text: 'like.%(50\\%)%' }), [1]], [query({ text: 'like.%\\\\%' }), [1]], [query({ text: 'like.%🙂' }), [1]],
  [query({ text: 'ilike.ä%' }), [1]], ['text=eq.', []], ['text=', []], ['text=eq.like.that', []], ['text=user@host.com', []],
  ['text=in.progress', []], ['bpchar=ab', [1]], ['bpchar=eq.ab%20%20', [1]], ['bpchar=like.ab', [1]], ['bpchar=in.(ab,x)', [1]],
  ['citext=MIXED', [1]], ['citext=in.(MIXED,OTHER)', [1, 2]], ['citext=like.MIX%25', []], ['citext=like.Mix%25', [1]],
]);

cases('numbers keep every digit', 'kinds', [
  ['big=9007199254740993', [1]], ['big=9007199254740992', []], ['big=lt.0', [2]],
  [`where=${encodeURIComponent('{"big":9007199254740993}')}`, [1]], [`where=${encodeURIComponent('{"big":[">=",9007199254740993]}')}`, [1]],
  ['num=12345678901234567890.123456789', [1]], ['num=eq.NaN', [2]], ['num=gt.1', [1, 2]],
  ['real=1.5', [1]], ['real=gt.1e30', [2]], ['double=0.1', [1]], ['double=lt.-1e300', [2]],
  ['money=12.50', [1]], ['money=lt.0', [2]], ['percent=12.5', [1]], ['percent=gt.99', [2]], ['twice=gte.4', [2, 3]],
]);

cases('other types', 'kinds', [
  ['flag=true', [1]], ['flag=eq.no', [2]], ['flag=neq.true', [2]], [query({ where: { flag: true } }), [1]], ['and=(flag)', [1]],
  ['mood=low', [1]], ['mood=gt.low', [2]], ['mood=like.h%25', [2]],
  ['uuid=A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', [1]], ['uuid=like.b0%25', [2]], ['uuid=gt.a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', [2]],
  ['day=2024-02-29', [1]], ['day=gte.2024-03-01', [2]], ['day=eq.infinity', [2]],
  ['local=2024-02-29T23:59:59.123456Z', [1]], ['local=2024-03-01T01:59:59.123456%2B02:00', [1]], ['local=lt.2000-01-01', [2]],
  ['moment=2024-02-29T21:59:59.123456Z', [1]], ['moment=2024-02-29T23:59:59.123456%2B02:00', [1]],
  ['moment=gt.2024-02-29T21:59:59.123Z', [1, 2]], ['clock=10:30', [1]], ['clock=gt.12:00', [2]], ['clockTz=eq.08:30Z', []],
  ['clockTz=eq.10:30%2B02', [1]], ['span=26 hours', [1]], ['span=gt.P1M', [2]], ['span=like.2%25', [2]], ['bits=1010', [1]],
  ['inet=10.0.0.1', [1]], ['inet=like.10.0.0.1%25', [1]], ['range=[1,5)', [1]], ['range=empty', [2]],
  [query({ pair: '{"b": "x", "a": 1}' }), [1]], [query({ pair: 'in.({"a": 1\\, "b": "x"},{})' }), [1]], ['bytes=AP8=', [1]],
  ['bytes=in.(AP8=,)', [1, 2]], ['bytes=neq.AP8=', [2]], ['xml=like.%25b%25', [2]], ['clock_tz=eq.10:30%2B02', [1]],
]);

cases('arrays hold and overlap', 'lists', [
  ['ints=cs.2', [1, 2]], ['ints=csa.(1,3)', [1, 2]], ['ints=csa.(\\)', []], ['ints=isnull.', [3]], ['ints=notnull.', [1, 2]],
  [query({ texts: 'cs.b,c' }), [1]], [query({ texts: 'csa.(b\\,c,q)' }), [1]],
  ['moods=cs.low', [1]], ['moods=csa.(mid,high)', [1, 2]],
  ['uuids=cs.A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11', [1]], ['uuids=csa.(b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11)', [2]],
  ['stamps=cs.2024-01-01T13:00:00%2B01:00', [1]], ['stamps=csa.(2024-01-01T13:00:00%2B01:00,2000-01-01)', [1]],
  ['moments=cs.2024-01-01T13:00:00%2B01:00', [1]], ['moments=csa.(2025-01-01T00:00:00Z)', [2]],
  ['days=cs.2024-01-01', [1]], ['nums=cs.1.5', [1]], ['nums=cs.4', [2]], ['percents=cs.12.5', [1]], ['percents=csa.(1,2)', [2]],
  ['chars=cs.ab', [1]], ['flags=cs.false', [1]],
]);

cases('JSON arrays hold and overlap, as text; what is no array holds nothing', 'documents', ['tags', 'plain', 'labels'].flatMap((
  field,
): Case[] => [
  [`${field}=cs.a`, [1]], [`${field}=cs.b,c`, [1]], [`${field}=cs.2`, [1]], [`${field}=cs.1.50`, [1]], [`${field}=cs.true`, [1]],
  [`${field}=cs.null`, []], [`${field}=cs.`, []], [`${field}=csa.(x,A)`, [1, 2]], [`${field}=csa.(b\\,c,q)`, [1]],
  [`${field}=csa.(\\)`, []], [`or=(${field}.cs.x,id.eq.8)`, [2, 8]], [`not=(${field}.cs.a)`, [2, 3, 4, 5, 6, 7, 8, 9]],
  [query({ where: { [field]: ['array-contains', 2] } }), [1]], [query({ where: { [field]: ['array-contains-any', ['x', 2]] } }), [1, 2]],
  [query({ where: { [field]: ['array-contains', true] } }), [1]],
]));

cases('paths inside JSON compare text, or numbers by order', 'kinds', [
  ['map->country=de', [1]], ['map-%3E%3Ecountry=in.(de,it)', [1]], ['map->>deep->>city=Köln', [1]], ['map->deep->city=like.K%25', [1]],
  ['map->>country=neq.de', [2]], ['map->>nothing=isnull.', [1, 2, 3]], ['map->>country=notnull.', [1, 2]], ['map->>ok=true', [1]],
  ['map->list->0=a', [1]], ['map->age=7', [1]], [query({ where: { 'map->age': 7 } }), [1]],
  [query({ where: { 'map->age': ['>', 5] } }), [1]], [query({ where: { 'map->>age': ['<=', 6.5] } }), []], ['map->age=gt.10', [1, 2]],
  [query({ where: { 'map->huge': ['>', 5] } }), []],
  ['map->list->-1=b', [1]], ['map->list->9=isnull.', [1, 2, 3]],
  [query({ 'map->>$2': 'isnull.', where: { 'map->>country': 'de', 'map->deep->>city': ['like', 'K%'] } }), [1]],
  ['map->$1=isnull.', [1, 2, 3]], ['map->>country=notnull.&map->>country=neq.it', [1, 2]],
  [query({ where: { 'map->age': [['>', 5], ['<', 100]] } }), [1]], ['plain->b=1', [1]], ['plain->>b=nin.(2)', [1]],
  ['and=(map->>country.eq.de,not(map->>ok.eq.false))', [1]], ['and=map->country.in.de', []],
]);

test('a column shows as JSON has it', async t => {
  const { get, text } = client(t, service);
  const all = await text('kinds?orderBy=id');
  for (const exact of [
    '"big":9007199254740993', '"num":12345678901234567890.123456789', '"money":12.50', '"percent":12.50', '"plain":{"b": 1,  "a": 2}',
  ]) {
    t.ok(all.includes(exact), exact);
  }
  const [first, second, third] = (await get('kinds?orderBy=id')).data;
  t.match(first, {
    text: 'Ängström, (50%) \\ "x" 🙂', bpchar: 'ab   ', citext: 'Mixed', uuid: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', small: -5, real: 1.5,
    double: 0.1, flag: true, mood: 'low', day: '2024-02-29', local: '2024-02-29T23:59:59.123456Z', moment: '2024-02-29T21:59:59.123456Z',
    clock: '10:30:00', clockTz: '10:30:00+02', span: '1 day 02:00:00', bits: '1010', inet: '10.0.0.1', range: '[1,5)', point: '(1,2)',
    xml: '<a/>', pair: { a: 1, b: 'x' }, embedding: [1, 2], bytes: 'AP8=', twice: 2,
    map: { country: 'de', deep: { city: 'Köln' } },
  });
  t.match(second, {
    num: 'NaN', real: 'Infinity', double: '-Infinity', day: 'infinity', local: '-infinity', inet: '10.0.0.0/8', range: 'empty', bytes: '',
    moment: '2025-01-01T00:00:00.000Z',
  });
  t.same(Object.values(third).filter(value => value !== null), [3, 6]);
  t.notOk('words' in first, 'text search columns are kept out');
});

test('arrays show item by item', async t => {
  const [first, second, third] = (await client(t, service).get('lists?orderBy=id')).data;
  t.match(first, {
    ints: [1, 2], texts: ['a', 'b,c', null], moods: ['low', 'high'], stamps: ['2024-01-01T12:00:00.000Z'],
    moments: ['2024-01-01T12:00:00.000Z'], days: ['2024-01-01', 'infinity'], nums: [1.5, 'NaN'], percents: [12.5], flags: [true, false],
    blobs: ['AP8='], xmls: ['<a/>'],
  });
  t.match(second, { nums: [[1, 2], [3, 4]], days: [], xmls: [] });
  t.same(Object.values(third).filter(value => value !== null), [3]);
});

test('an operator that the type has not is refused by name', async t => {
  const { refuses } = client(t, service);
  const refused: [field: string, filter: string, type: string][] = [
    ['small', 'like.1%25', 'number'], ['day', 'ilike.2%25', 'date'], ['flag', 'nlike.t', 'boolean'], ['text', 'cs.a', 'string'],
    ['small', 'csa.(1)', 'number'], ['map', 'eq.x', 'map'], ['map', 'in.(x)', 'map'], ['plain', 'like.x', 'map'],
    ['bytes', 'gt.AP8=', 'binary'], ['bytes', 'cs.x', 'binary'], ['bytes', 'like.x', 'binary'], ['xml', 'eq.<a/>', 'string'],
    ['xml', 'in.(a)', 'string'], ['point', 'eq.(1,2)', 'string'], ['point', 'gt.(1,2)', 'string'],
  ];
  for (const [field, filter, type] of refused) {
    t.match(await refuses(`kinds?${field}=${filter}`, 400, 'INVALID_FILTER_OPERATOR'), { field, collection: 'kinds', type });
  }
  for (const filter of ['ints=eq.{1}', 'ints=gt.1', 'ints=like.1', 'ints=in.(1)', 'xmls=cs.<a/>']) {
    await refuses(`lists?${filter}`, 400, 'INVALID_FILTER_OPERATOR');
  }
  for (const path of ['map->list', 'map->>a']) {
    t.match(await refuses(`kinds?${path}=cs.a`, 400, 'INVALID_FILTER_OPERATOR'), { field: 'map', collection: 'kinds' });
  }
  await refuses('kinds?text->a=b', 400, 'INVALID_FILTER_OPERATOR');
});

test('a value that its type cannot read is refused with the field and the SQLSTATE', async t => {
  const { refuses, column } = client(t, service);
  const unreadable: [field: string, filter: string, dbCode: string][] = [
    ['small', 'x', '22P02'], ['small', 'eq.99999', '22003'], ['small', 'in.(1,x)', '22P02'], ['big', '1.5', '22P02'],
    ['uuid', 'no', '22P02'], ['mood', 'furious', '22P02'], ['flag', 'maybe', '22P02'], ['day', '2024-13-01', '22008'],
    ['day', 'soon', '22007'], ['moment', 'soon', '22007'], ['span', 'soon', '22007'], ['num', 'x', '22P02'],
    ['inet', '10.0.0.300', '22P02'], ['pair', 'x', '22P02'], ['pair', '(1,x)', '22P02'], ['pair', '[]', '22000'],
    ['pair', '{"a":"x"}', '22P02'], ['bytes', 'x', '22023'], ['range', '[5,1]', '22000'], ['bits', '12', '22P02'],
  ];
  for (const [field, filter, dbCode] of unreadable) {
    t.match(await refuses(`kinds?${field}=${filter}`, 400, 'INVALID_FILTER_VALUE'), { field, dbCode }, `${field}=${filter}`);
    t.match(await refuses(`kinds/count?${field}=${filter}`, 400, 'INVALID_FILTER_VALUE'), { field, dbCode });
  }
  t.match(await refuses('lists?ints=cs.x', 400, 'INVALID_FILTER_VALUE'), { field: 'ints', dbCode: '22P02' });
  for (const filter of ['text=like.pla\\', 'text=nilike.\\\\\\', 'or=(text.ilike.nothing\\\\)', 'where={"text":["not-like","a\\\\"]}']) {
    t.same(await refuses(`kinds?${filter}`, 400, 'INVALID_FILTER_VALUE'), { field: 'text', dbCode: '22025' }, filter);
  }
  t.same(await column('kinds?text=like.pla\\\\'), [], 'an escaped backslash is one');
  t.match(await refuses('kinds?text=a%00b', 400, 'INVALID_FILTER_VALUE'), { field: 'text' });
  t.match(await refuses(`kinds?${query({ where: { small: ['in', [1, null]] } })}`, 400, 'INVALID_FILTER_VALUE'), { field: 'small' });
});

test('vectors cannot be filtered, hidden columns do not exist', async t => {
  const { refuses } = client(t, service);
  t.match(await refuses('kinds?embedding=[1,2]', 400, 'INVALID_FILTER_FIELD'), { field: 'embedding', collection: 'kinds', type: 'vector' });
  await refuses('kinds?embedding=isnull.', 400, 'INVALID_FILTER_FIELD');
  const details = await refuses('kinds?words=cat', 400, 'UNKNOWN_FILTER_FIELD');
  t.match(details, { field: 'words', collection: 'kinds' });
  t.ok(details.validFields.includes('twice') && !details.validFields.includes('words'));
});

test('a declared map holds no items, a declared JSON array does', async t => {
  const folder = t.testdir({ 'notes.json': JSON.stringify({ slug: 'notes', properties: {
    id: { type: 'number', isId: 'manual' }, extra: { type: 'map', keyValue: true }, plain: { type: 'map', columnType: 'json' },
    tags: { type: 'array', of: { type: 'string' }, columnType: 'json' },
    parts: { type: 'array', of: { type: 'map', keyValue: true } } } }) });
  const { column, refuses, service } = await reader(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: folder } });
  await service.sql`insert into notes (id, extra, plain, tags, parts)
    values (1, '{"a": 1}', '["a"]', '["a"]', '[{"n": 1}]'), (2, null, null, null, null)`;
  for (const field of ['extra', 'plain']) {
    for (const operator of ['cs.a', 'csa.(a)', 'eq.a', 'nin.(a)']) {
      t.match(await refuses(`notes?${field}=${operator}`, 400, 'INVALID_FILTER_OPERATOR'), { field, collection: 'notes', type: 'map' });
    }
  }
  t.same(await column('notes?tags=cs.a'), [1]);
  t.same(await column(`notes?${query({ where: { parts: ['cs', '{"n": 1}'] } })}`), [1]);
  for (const operator of ['eq.a', 'like.a', 'in.(a)']) {
    t.match(await refuses(`notes?tags=${operator}`, 400, 'INVALID_FILTER_OPERATOR'), { field: 'tags', type: 'array' });
  }
});
