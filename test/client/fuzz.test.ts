// Random names and values through the client: SQL has what was meant, or the client or the service refuses it, and each address says it.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test, type Test } from 'tap';
import { createClient, RowgateError, type AnySchema, type Client, type Facts } from '../../client/src/index.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { createService, SERVICE_KEY, type TestService } from '../harness/service.ts';
import { checker } from './compiler.ts';

const CASES = 3_000;
const TABLES = 12;
const random = generator(seed);
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const chance = (percent: number): boolean => random(100) < percent;

const PIECES = [
  'order', 'select', 'limit', 'or', 'where', 'null', 'count', 'bulk', 'aggregate', 'constructor', '__proto__', 'toString', 'a.b',
  'a,b', 'a b', ' ', '.', '..', '\'', '"', '(p)', '%', '%2F', '&limit=0', '#', '=', '+', '/', '\\', 'ü', '日本', '😀', '?', '->', '$inc',
  '_pivot', 'eq.', ':::', '[]', '{}', '\n',
];
/** A value as long as a path would be taken for one in the log. */
const NAMES = [...PIECES, 'x'.repeat(60)];
const TEXTS = [
  'eq.like', 'null', 'not.in.(a,b)', '("a","b")', 'a\\,b', '["like","%"]', '&where={}', '', ' ', 'a\0b', '\ud800', '\udc00x', '\u2028',
  '\\u0000', '\\u00001', 'x'.repeat(5_000), '\ufffd',
];
const textOf = (): string => chance(50) ? oneOf(TEXTS) : Array.from({ length: 1 + random(3) }, () => oneOf(PIECES)).join('');
const listOf = <T>(value: () => T): T[] => Array.from({ length: random(4) }, value);

/** Random values of each type. Some are beyond it. */
const VALUES: Record<string, () => unknown> = {
  text: textOf,
  integer: () => oneOf([0, -1, 7, 2147483647, -2147483648, 2147483648]),
  bigint: () => oneOf([0, '9223372036854775807', -9223372036854775808n, 9007199254740993n, 9223372036854775808n, BigInt(random(9))]),
  numeric: () => oneOf(['1.50', '-0.0', 12345678901234567890n, 0.1, 1e21, 'NaN', '0.000000000000000000001', 7]),
  'double precision': () => oneOf([0.1, 1e308, -1.5, 5e-324, -0, Infinity]),
  boolean: () => chance(50),
  'timestamp with time zone': () => oneOf([
    new Date(0), new Date(random(2 ** 31) * 1000), '2024-02-29T12:00:00.123456Z', '0001-01-01T00:00:00Z',
  ]),
  date: () => oneOf(['2024-02-29', '0001-01-01', '9999-12-31', '2023-02-29']),
  uuid: () => oneOf([randomUUID(), '00000000-0000-0000-0000-000000000000', 'none']),
  bytea: () => Buffer.from(textOf()).toString('base64'),
  'text[]': () => listOf(textOf),
  'bigint[]': () => listOf(() => oneOf([1n, '9223372036854775807', -9007199254740993n, 2])),
  jsonb: () => oneOf<() => unknown>([
    textOf, () => JSON.parse(`{"__proto__": 1, "a.b": [null, {"": 1.5}]}`),
    () => ({ [textOf()]: listOf(textOf) }),
    () => [1, 'a', null]])(),
};
/** An empty text is no id: the row then lacks one. */
const REFUSALS = new Set([
  'VALIDATION_INVALID_VALUE', 'INVALID_FILTER_VALUE', 'INVALID_INPUT', 'INVALID_FIELD_OPERATION', 'NOT_FOUND', 'BAD_REQUEST', 'PG_22P02',
  'PG_22003', 'PG_22007', 'PG_22008', 'PG_23502', 'PG_23505', 'PG_22P05', 'URI_TOO_LONG',
]);
const COMPARED = ['==', '!=', '>', '>=', '<', '<='];
const PATTERNS = ['like', 'ilike', 'not-like', 'not-ilike'];

type Column = { column: string; name: string; type: string };
type Table = {
  table: string; slug: string; key: Column[]; parent: Column[]; fields: Column[]; one?: string | undefined; many?: string | undefined;
};
type Row = Record<string, any>;
type Sent = { method: string; url: string };

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const taken = new Set<string>();

/** At most 63 bytes, which is PostgreSQL's limit. */
function newName(): string {
  for (;;) {
    let name = Array.from({ length: 1 + random(3) }, () => oneOf(NAMES)).join('');
    while (Buffer.byteLength(name) > 63) name = name.replace(/.$/su, '');
    if (!taken.has(name)) return taken.add(name), name;
  }
}

/** A table whose rows have a parent in it. */
function newTable(): { table: string; key: string[]; parent: string[]; sql: string } {
  taken.clear();
  const types = oneOf([['text'], ['bigint'], ['text', 'bigint']]);
  const [key, parent] = [types.map(newName), types.map(newName)];
  const columns = [
    ...[key, parent].flatMap(names => names.map((name, i) => [name, types[i]])), ...Object.keys(VALUES).map(type => [newName(), type]),
  ];
  const table = newName();
  const list = (names: string[]) => names.map(quoted).join();
  return { table, key, parent, sql: `
    create table ${quoted(table)} (${columns.map(([name = '', type]) => `${quoted(name)} ${type}`).join()}, primary key (${list(key)}),
      foreign key (${list(parent)}) references ${quoted(table)});
    alter table ${quoted(table)} enable row level security;
    create policy everybody on ${quoted(table)} using (true);` };
}

test(`names and values arrive as they were meant (RANDOM_SEED=${seed})`, async t => {
  const made = new Map<string, ReturnType<typeof newTable>>();
  while (made.size < TABLES) {
    const table = newTable();
    made.set(table.table, table);
  }
  const service = await createService(t, { template: 'served', setup: [...made.values()].map(({ sql }) => sql).join('') });
  const { sent, db } = await recordedClient(t, service);
  const tables = await servedTables(service, made);
  t.ok(tables.length > TABLES / 2, `${tables.length} tables are served`);
  const keys = new Map<Table, unknown[][]>(tables.map(table => [table, []]));
  const counts = { answered: 0, refused: 0 };
  const refusals = new Map<string, number>();

  /** The answer of a call, whose one address is what was meant; undefined where it was refused. */
  async function call<T>(path: string[], query: Row, ask: () => Promise<T>, about: string): Promise<T | undefined> {
    sent.length = 0;
    try {
      const answer = await ask();
      counts.answered++;
      t.equal(sent.length, 1);
      meansOnly(t, sent, path, query, about);
      return answer;
    } catch (error) {
      meansOnly(t, sent, path, query, about);
      const { code, status } = error as RowgateError;
      const isRefusal = error instanceof RowgateError && (status === 0 ? code === 'INVALID_INPUT' : status >= 400 && status < 500);
      if (!isRefusal) t.fail(`${about}: ${String(error)}`, { error, sent });
      refusals.set(code, 1 + (refusals.get(code) ?? 0));
      counts.refused++;
      return undefined;
    }
  }

  for (let n = 0; n < runs(CASES); n++) {
    const table = oneOf(tables);
    const known = keys.get(table) as unknown[][];
    const rows: Row = db.from(table.slug);
    const values = rowOf(table, known);
    const about = `case ${n}`;
    if (await call([], {}, () => rows['create'](values), `${about}: create`) !== undefined) {
      const id = table.key.map(({ name }) => values[name]);
      known.push(id);
      t.same(await differing(service, table, values), [], `${about}: is stored as it was written`);
      const read: Row | undefined = await call([idOf(id)], {}, () => rows['get'](id.length > 1 ? id : id[0]), `${about}: get`);
      if (read) t.same(await differing(service, table, read), [], `${about}: is read as it is stored`);
    }
    if (table.key.length === 1 && table.key[0]?.type === 'text') {
      const any = textOf();
      const read: Row | undefined = await call([any], {}, () => rows['get'](any), `${about}: get of any id`);
      if (read) t.equal(read[table.key[0].name], any);
    }
    const { query, condition, operands } = filterOf(table);
    const idSql = table.key.map(({ column }) => `x.${quoted(column)}::text`).join(` || ':::' || `);
    const where = `select ${idSql} as id from ${quoted(table.table)} x`;
    const order = `order by ${table.key.map(({ column }) => `x.${quoted(column)}`).join()}`;
    const found: { data: Row[] } | undefined = await call([], query, () => rows['list'](query), `${about}: list`);
    const shown = (list: Row[]) => list.map(row => table.key.map(({ name }) => String(row[name])).join(':::'));
    const asked = async (text: string, given: unknown[]) =>
      (await service.sql.unsafe<{ id: string }[]>(text, given as never[])).map(({ id }) => id);
    if (found) {
      t.same(shown(found.data), await asked(`${where}, ${records(table, operands.length)} where ${condition} ${order}`,
        operands.map(row => json(table, row))), `${about}: the rows that SQL finds`, { query });
    }
    const id = known.length > 0 ? oneOf(known) : undefined;
    const { many, one } = table;
    if (id === undefined || many === undefined || one === undefined) continue;
    const included = { include: Object.fromEntries([[one, true]]), orderBy: query.orderBy };
    const related: Row = rows['related'](id.length > 1 ? id : id[0], many);
    const children: { data: Row[] } | undefined =
      await call([idOf(id), many], included, () => related['list'](included), `${about}: related`);
    if (!children) continue;
    const match = table.parent.map(({ column }, i) => `x.${quoted(column)} = p0.${quoted(table.key[i]?.column ?? '')}`).join(' and ');
    const own = Object.fromEntries(table.key.map(({ name }, i) => [name, id[i]]));
    t.same(shown(children.data), await asked(`${where}, ${records(table, 1)} where ${match} ${order} limit 20`, [json(table, own)]),
      `${about}: related rows are those of the row`);
    t.same(shown(children.data.map(row => row[one])), children.data.map(() => id.map(String).join(':::')), `${about}: and include it`);
  }
  t.comment(counts, Object.fromEntries(refusals));
  t.ok(counts.answered > counts.refused);
  t.same([...refusals.keys()].filter(code => !REFUSALS.has(code)), [], 'each refusal is one that these values deserve');
});

async function recordedClient(t: Test, { sql, address }: TestService): Promise<{ sent: Sent[]; db: Client<any> }> {
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const file = join(t.testdir(), 'rowgate.types.ts');
  writeFileSync(file, typesFile(row?.contract as Contract));
  t.same(checker([file]).complaints, [], 'the types compile');
  const { schema } = await import(pathToFileURL(file).href) as { schema: Facts };
  const sent: Sent[] = [];
  const recorded: typeof fetch = (url, init) => {
    sent.push({ method: init?.method ?? 'GET', url: url as string });
    return fetch(url, init);
  };
  const db = createClient<AnySchema>({ url: address, schema, token: SERVICE_KEY, warn: () => undefined, fetch: recorded });
  return { sent, db: db as Client<any> };
}

/** The tables as they are served, which not every name allows. */
async function servedTables({ sql }: TestService, made: Map<string, ReturnType<typeof newTable>>): Promise<Table[]> {
  const collections = await sql<{ slug: string; table: string; columns: Column[]; relations: { name: string; kind: string }[] }[]>`
    select c.slug, c.table_name as table,
      (select jsonb_agg(jsonb_build_object('column', p.column_name, 'name', p.name, 'type', p.sql_type) order by p.position)
        from service.properties p where p.collection = c.slug) as columns,
      (select coalesce(jsonb_agg(jsonb_build_object('name', r.name, 'kind', r.kind)), '[]')
        from service.relations r where r.collection = c.slug) as relations
    from service.collections c where c.exposed order by c.slug collate "C"`;
  return collections.filter(({ table }) => made.has(table)).map(({ slug, table, columns, relations }) => {
    const { key, parent } = made.get(table) as ReturnType<typeof newTable>;
    const columnOf = (name: string) => columns.find(({ column }) => column === name) as Column;
    return {
      slug, table, key: key.map(columnOf), parent: parent.map(columnOf),
      fields: columns.filter(({ column }) => !key.includes(column) && !parent.includes(column)),
      one: relations.find(({ kind }) => kind === 'belongsTo')?.name, many: relations.find(({ kind }) => kind === 'hasMany')?.name,
    };
  });
}

function rowOf({ key, parent, fields }: Table, known: unknown[][]): Row {
  const above = known.length > 0 && chance(60) ? oneOf(known) : [];
  const entries: [string, unknown][] = [
    ...key.map(({ name, type }): [string, unknown] => [name, type === 'text' ? textOf() : BigInt(random(1_000_000))]),
    ...parent.map(({ name }, i): [string, unknown] => [name, above[i] ?? null]),
    ...fields.filter(() => chance(30)).map(({ name, type }): [string, unknown] => [name, chance(10) ? null : VALUES[type]?.()]),
  ];
  return Object.fromEntries(entries);
}

type Filter = { query: Row; condition: string; operands: Row[] };

/** A query with one condition, and the same in SQL, where p0 and p1 are rows that hold its operands. */
function filterOf({ fields, key }: Table): Filter {
  const { name, column, type } = oneOf([...fields, ...key]);
  const [x, p0, p1] = ['x', 'p0', 'p1'].map(row => `${row}.${quoted(column)}`) as [string, string, string];
  const [first, second] = [VALUES[type]?.(), VALUES[type]?.()];
  const rows = [first, second].map(value => Object.fromEntries([[name, value]]));
  const order = key.map(({ name }) => ({ field: name }));
  const filter = (test: unknown, condition: string, operands: Row[]): Filter => ({
    query: {
      where: Object.fromEntries([[name, test]]), orderBy: order, limit: 1000, ...chance(50) && { fields: key.map(({ name }) => name) },
    },
    condition, operands,
  });
  const isList = type.endsWith('[]');
  const kind = random(10);
  if (kind === 0 || type === 'jsonb') return filter(oneOf([null, ['is-null', null]]), `${x} is null`, []);
  if (kind === 1) return filter(['is-not-null', null], `${x} is not null`, []);
  if (isList) {
    const [element] = first as unknown[];
    if (kind < 5 && element !== undefined) {
      return filter(['array-contains', element], `${x} @> ${p0}`, [Object.fromEntries([[name, [element]]])]);
    }
    return filter(['array-contains-any', first], `${x} && ${p0}`, rows.slice(0, 1));
  }
  if (kind < 4) {
    const isIn = chance(50);
    return filter([isIn ? 'in' : 'not-in', [first, second]], `${x} ${isIn ? '' : 'not'} in (${p0}, ${p1})`, rows);
  }
  if (kind < 6 && type === 'text') {
    const operator = oneOf(PATTERNS);
    return filter([operator, first], `${x} ${operator.replace('-', ' ')} ${p0}`, rows.slice(0, 1));
  }
  const operator = oneOf(type === 'bytea' ? COMPARED.slice(0, 2) : COMPARED);
  const test = operator === '==' && chance(50) ? first : [operator, first];
  return filter(test, `${x} ${operator.replace('==', '=').replace('!=', '<>')} ${p0}`, rows.slice(0, 1));
}

const records = ({ table }: Table, count: number): string =>
  ['(select 1) o', ...Array.from({ length: count }, (_, i) =>
    `jsonb_populate_record(null::${quoted(table)}, $${i + 1}::text::jsonb) p${i}`)].join();

const plain = (_: string, value: unknown): unknown => typeof value === 'bigint' ? String(value) : value;

/** A row for jsonb_populate_record, by its columns. */
function json({ key, parent, fields }: Table, row: Row): string {
  const columns = [...key, ...parent, ...fields].filter(({ name }) => Object.hasOwn(row, name));
  return JSON.stringify(Object.fromEntries(columns.map(({ name, column, type }) => {
    const value: unknown = row[name];
    return [column, type === 'bytea' && typeof value === 'string' ? `\\x${Buffer.from(value, 'base64').toString('hex')}` : value];
  })), plain);
}

/** The fields of a row whose stored values are others. */
async function differing({ sql }: TestService, table: Table, row: Row): Promise<string[]> {
  const columns = [...table.key, ...table.parent, ...table.fields].filter(({ name }) => Object.hasOwn(row, name));
  const same = columns.map(({ column }, i) => `x.${quoted(column)} is not distinct from p0.${quoted(column)} as c${i}`).join();
  const match = table.key.map(({ column }) => `x.${quoted(column)} = p0.${quoted(column)}`).join(' and ');
  const [found] = await sql.unsafe<Record<string, boolean>[]>(
    `select ${same} from ${quoted(table.table)} x, ${records(table, 1)} where ${match}`, [json(table, row)]);
  return found === undefined ? ['no row'] : columns.filter((_, i) => found[`c${i}`] !== true).map(({ name }) => name);
}

/** The id of a row as the service reads it. */
const idOf = (id: unknown[]): string =>
  id.length === 1 ? String(id[0]) : id.map(part => String(part).replace(/[%:]/g, encodeURIComponent)).join(':::');

/** Each address has this path below its collection and these parameters, whatever stands in them. */
function meansOnly(t: Test, sent: Sent[], path: string[], query: Row, about: string): void {
  for (const { url } of sent) {
    const { pathname, searchParams, hash } = new URL(url);
    t.same(pathname.split('/').slice(4).map(decodeURIComponent), path, `${about}: path`, { url });
    t.same([...searchParams.keys()].sort(), Object.keys(query).sort(), `${about}: parameters`, { url });
    t.equal(hash, '');
    for (const [name, text] of searchParams) {
      const meant: unknown = query[name];
      if (name === 'fields') t.equal(text, (meant as string[]).join());
      else if (name === 'limit') t.equal(text, String(meant));
      else if (name === 'where') t.same(operandOf(JSON.parse(text)), operandOf(meant), `${about}: where`, { url });
      else t.same(JSON.parse(text), meant, `${about}: ${name}`);
    }
  }
}

/** The field and the end of its condition, which has operators that were not written. Large numbers as doubles. */
function operandOf(where: unknown): unknown[] {
  const [[field, test] = []] = Object.entries(where as Row);
  const inner: unknown = Array.isArray(test) ? Array.isArray(test[0]) ? (test[0] as unknown[])[1] : test[1] : test;
  return [field, JSON.parse(JSON.stringify(inner, (_, value: unknown) => typeof value === 'bigint' ? Number(value) : value))];
}
