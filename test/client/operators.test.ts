// Each way to find, sort and sum up rows by a column of each type of PostgreSQL: what compiles, the service does not refuse.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { ROOT } from '../harness/server.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { checker } from './compiler.ts';

/** A value of each type, as SQL takes it. */
const SAMPLES: Record<string, string> = {
  'text': 'a', 'varchar(10)': 'a', 'char(3)': 'abc', 'name': 'a', '"char"': 'a', 'uuid': 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  'smallint': '1', 'integer': '1', 'bigint': '9007199254740993', 'numeric': '1.50', 'numeric(4, 1)': '1.5', 'real': '1.5',
  'double precision': '1.5', 'money': '1.50', 'oid': '1', 'boolean': 'true',
  'date': '2026-01-15', 'time': '10:30', 'timetz': '10:30+02', 'timestamp': '2026-01-15 10:30', 'timestamptz': '2026-01-15 10:30+02',
  'interval': '1 day', 'bytea': '\\x00ff', 'json': '{"a": 1}', 'jsonb': '{"a": 1}', 'jsonpath': '$.a', 'xml': '<a/>',
  'inet': '::1', 'cidr': '10.0.0.0/8', 'macaddr': '08:00:2b:01:02:03', 'macaddr8': '08:00:2b:01:02:03:04:05',
  'bit(3)': '101', 'varbit': '101', 'tsvector': 'a b', 'tsquery': 'a & b', 'pg_lsn': '0/1', 'xid8': '1', 'tid': '(0,1)',
  'int4range': '[1,3)', 'daterange': '[2026-01-15,2026-02-01)', 'int4multirange': '{[1,3)}', 'txid_snapshot': '1:1:', 'regclass': 'pg_type',
  'point': '(1,2)', 'line': '{1,2,3}', 'lseg': '[(1,2),(3,4)]', 'box': '(3,4),(1,2)', 'path': '[(1,2),(3,4)]',
  'polygon': '((1,2),(3,4),(5,6))', 'circle': '<(1,2),3>',
  'mood': 'calm', 'percent': '5', 'place': '(Elm,3)', 'spot': '("(1,2)",3)',
  'text[]': '{a}', 'integer[]': '{1}', 'bigint[]': '{1}', 'numeric[]': '{1.5}', 'boolean[]': '{true}', 'date[]': '{2026-01-15}',
  'timestamptz[]': '{2026-01-15 10:30+02}', 'time[]': '{10:30}', 'jsonb[]': '{"{}"}', 'bytea[]': '{"\\\\x00"}',
  'uuid[]': '{f47ac10b-58cc-4372-a567-0e02b2c3d479}',
  'mood[]': '{calm}', 'place[]': '{"(Elm,3)"}', 'point[]': '{"(1,2)"}', 'xml[]': '{<a/>}', 'integer[][]': '{{1},{2}}',
};
const COLUMNS = Object.entries(SAMPLES).map(([type, sample], n) => ({ name: `c${n}`, type, sample: `'${sample.replaceAll("'", "''")}'` }));

const TABLE = `
  create type mood as enum ('calm', 'loud');
  create domain percent as integer check (value between 0 and 100);
  create type place as (street text, no integer);
  create type spot as (at point, no integer);
  create table groups (id integer primary key, name text);
  create table samples (
    id integer primary key, ${COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')}, group_id integer references groups);
  create table places (no integer, group_id integer references groups, primary key (no, group_id));
  insert into samples values (1, ${COLUMNS.map(({ sample }) => sample).join(', ')});
  insert into samples (id) values (2);
  ${['samples', 'groups', 'places'].map(table => `
    alter table ${table} enable row level security;
    create policy everybody on ${table} using (true);`).join('')}`;

/**
 * The types refuse them, the service does not: types without an order have conditions that are no comparison of their whole values, and
 * PostgreSQL 18 has a min of bytea.
 */
const STRICTER = /^(xml|jsonpath|txid_snapshot|point|line|lseg|box|path|polygon|circle|spot) |(\[\]|^bytea) (related )?(min|max)\(/;

/** `from`: another collection than that of the samples. */
type Use = { about: string; code: string; path: string; query: Record<string, string>; from?: string };
type Row = Record<string, unknown>;

/** Every use of a column, with a value that a row shows, or that an array in it holds. */
function usesOf(name: string, type: string, shown: unknown): Use[] {
  const uses: Use[] = [];
  const where = (test: unknown): void => {
    const written = JSON.stringify(test);
    uses.push({
      about: `${type} ${written}`, code: `list({ where: { ${name}: ${written} } })`, path: '', query: { where: `{"${name}":${written}}` },
    });
    if (!Array.isArray(test)) return;
    const or = JSON.stringify([{ column: name, operator: test[0] as unknown, value: test[1] as unknown }]);
    uses.push({ about: `${type} or ${or}`, code: `list({ or: ${or} })`, path: '', query: { or } });
  };
  const [value] = [shown].flat(Infinity);
  const operand = typeof value === 'object' ? JSON.stringify(value) : value;
  for (const operator of ['==', '!=', '>', '>=', '<', '<=', 'array-contains']) where([operator, operand]);
  for (const operator of ['in', 'not-in', 'array-contains-any']) where([operator, [operand]]);
  for (const operator of ['like', 'ilike', 'not-like', 'not-ilike']) where([operator, 'a%']);
  for (const operator of ['is-null', 'is-not-null']) where([operator, null]);
  where(null);
  uses.push({ about: `${type} orderBy`, code: `list({ orderBy: [{ field: '${name}' }] })`, path: '', query: { orderBy: name } });
  uses.push({
    about: `${type} groupBy`, code: `aggregate({ select: ['count()'], groupBy: ['${name}'] })`, path: '/aggregate',
    query: { select: 'count()', groupBy: name },
  });
  for (const aggregate of ['min', 'max', 'sum', 'avg', 'count']) {
    const select = `${aggregate}(${name})`;
    uses.push({ about: `${type} ${select}`, code: `aggregate({ select: ['${select}'] })`, path: '/aggregate', query: { select } });
  }
  uses.push(ordered(type, 'groups', `count(samples.${name})`), included(type, 'groups', 'samples', name));
  for (const aggregate of ['min', 'max', 'sum', 'avg']) uses.push(ordered(`${type} related`, 'groups', `${aggregate}(samples.${name})`));
  return uses;
}

function ordered(about: string, from: string, field: string): Use {
  return { about: `${about} ${field}`, code: `list({ orderBy: [{ field: '${field}' }] })`, path: '', query: { orderBy: field }, from };
}

function included(about: string, from: string, relation: string, field: string): Use {
  const include = `{ "${relation}": { "orderBy": [{ "field": "${field}" }] } }`;
  return { about: `${about} ${relation} by ${field}`, code: `list({ include: ${include} })`, path: '', query: { include }, from };
}

/** Orders by rows that a row belongs to, that belong to it, and of rows that are included. */
const RELATED: Use[] = [
  ...['group.id', 'count(group)', 'count(group.name)', 'max(group.name)', 'sum(group.id)', 'sum(group.name)', 'group.name', 'max(group)']
    .flatMap(field => [
      ordered('one', 'samples', field), included('one', 'groups', 'samples', field), ordered('a key of two', 'places', field),
    ]),
  ...['samples.id', 'count(samples)', 'count(samples.id)', 'max(samples)', 'samples']
    .flatMap(field => [ordered('many', 'groups', field), included('many', 'samples', 'group', field)]),
];

test('what compiles on a column of a type, the service answers', async t => {
  const { address, sql } = await createService(t, { template: 'served', setup: TABLE });
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const ask = (path: string, query: Record<string, string>, from = 'samples'): Promise<Response> =>
    fetch(`${address}/api/data/${from}${path}?${String(new URLSearchParams(query))}`, { headers });
  const shown = await (await ask('/1', {})).json() as Row;
  const uses = [...COLUMNS.flatMap(({ name, type }) => usesOf(name, type, shown[name])), ...RELATED];
  const folder = t.testdir();
  writeFileSync(join(folder, 'rowgate.types.ts'), typesFile(row?.contract as Contract));
  const file = join(folder, 'uses.ts');
  writeFileSync(file, [
    `declare const db: import('${join(ROOT, 'client/src/index.ts')}').Client<import('./rowgate.types.ts').Schema>;`,
    ...uses.map(({ code, from = 'samples' }) => `void db.from('${from}').${code};`),
  ].join('\n'));
  const complaints = new Set(checker([file]).complaints.map(complaint => Number(/:(\d+) /.exec(complaint)?.[1])));
  for (const [n, { about, path, query, from }] of uses.entries()) {
    const { status } = await ask(path, query, from);
    if (!complaints.has(n + 2)) t.equal(status, 200, about);
    else if (!STRICTER.test(about)) t.equal(status, 400, about);
  }
  t.ok(complaints.size < uses.length / 2, `${complaints.size} of ${uses.length} do not compile`);
});
