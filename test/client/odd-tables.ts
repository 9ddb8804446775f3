/** Tables with random names, random values of their types, and how SQL sees them. */
import { randomUUID } from 'node:crypto';
import { generator, seed } from '../harness/effort.ts';
import type { TestService } from '../harness/service.ts';

export const random = generator(seed);
export const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T;
export const chance = (percent: number): boolean => random(100) < percent;

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
export const textOf = (): string => chance(50) ? oneOf(TEXTS) : Array.from({ length: 1 + random(3) }, () => oneOf(PIECES)).join('');
const listOf = <T>(value: () => T): T[] => Array.from({ length: random(4) }, value);

/** Random values of each type. Some are beyond it. */
export const VALUES: Record<string, () => unknown> = {
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

export type Column = { column: string; name: string; type: string };
export type Table = {
  table: string; slug: string; key: Column[]; parent: Column[]; fields: Column[]; one?: string | undefined; many?: string | undefined;
};
export type Row = Record<string, any>;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
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
export function newTable(): { table: string; key: string[]; parent: string[]; sql: string } {
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

/** The tables as they are served, which not every name allows. */
export async function servedTables({ sql }: TestService, made: Map<string, ReturnType<typeof newTable>>): Promise<Table[]> {
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

export function rowOf({ key, parent, fields }: Table, known: unknown[][]): Row {
  const above = known.length > 0 && chance(60) ? oneOf(known) : [];
  const entries: [string, unknown][] = [
    ...key.map(({ name, type }): [string, unknown] => [name, type === 'text' ? textOf() : BigInt(random(1_000_000))]),
    ...parent.map(({ name }, i): [string, unknown] => [name, above[i] ?? null]),
    ...fields.filter(() => chance(30)).map(({ name, type }): [string, unknown] => [name, chance(10) ? null : VALUES[type]?.()]),
  ];
  return Object.fromEntries(entries);
}

export const records = ({ table }: Table, count: number): string =>
  ['(select 1) o', ...Array.from({ length: count }, (_, i) =>
    `jsonb_populate_record(null::${quoted(table)}, $${i + 1}::text::jsonb) p${i}`)].join();

const plain = (_: string, value: unknown): unknown => typeof value === 'bigint' ? String(value) : value;

/** A row for jsonb_populate_record, by its columns. */
export function json({ key, parent, fields }: Table, row: Row): string {
  const columns = [...key, ...parent, ...fields].filter(({ name }) => Object.hasOwn(row, name));
  return JSON.stringify(Object.fromEntries(columns.map(({ name, column, type }) => {
    const value: unknown = row[name];
    return [column, type === 'bytea' && typeof value === 'string' ? `\\x${Buffer.from(value, 'base64').toString('hex')}` : value];
  })), plain);
}

/** The fields of a row whose stored values are others. */
export async function differing({ sql }: TestService, table: Table, row: Row): Promise<string[]> {
  const columns = [...table.key, ...table.parent, ...table.fields].filter(({ name }) => Object.hasOwn(row, name));
  const same = columns.map(({ column }, i) => `x.${quoted(column)} is not distinct from p0.${quoted(column)} as c${i}`).join();
  const match = table.key.map(({ column }) => `x.${quoted(column)} = p0.${quoted(column)}`).join(' and ');
  const [found] = await sql.unsafe<Record<string, boolean>[]>(
    `select ${same} from ${quoted(table.table)} x, ${records(table, 1)} where ${match}`, [json(table, row)]);
  return found === undefined ? ['no row'] : columns.filter((_, i) => found[`c${i}`] !== true).map(({ name }) => name);
}

/** The id of a row as the service reads it. */
export const idOf = (id: unknown[]): string =>
  id.length === 1 ? String(id[0]) : id.map(part => String(part).replace(/[%:]/g, encodeURIComponent)).join(':::');
