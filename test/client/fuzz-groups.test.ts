// Random fields, searches, aggregates and groups through the client: the answer is that of SQL, or the names cannot be sent.
import { test } from 'tap';
import { runs, seed } from '../harness/effort.ts';
import { callsOf } from './fuzz-calls.ts';
import { differing, oneOf, quoted, random, rowOf, textOf, type Column, type Row, type Table } from './odd-tables.ts';

const CASES = 2_000;
const ROWS = 12;
/** Doubles have the largest values in some rows, whose sum has none. */
const SUMMED = ['integer', 'bigint', 'numeric'];
const ORDERED = ['text', ...SUMMED, 'double precision', 'timestamp with time zone', 'date'];
const GROUPED = [...ORDERED, 'boolean', 'uuid', 'bytea'];
/** As an answer shows values of these types. Others are as PostgreSQL's JSON shows them. */
const SHOWN: Record<string, (value: string) => string> = {
  bytea: value => `translate(encode(${value}, 'base64'), chr(10), '')`,
  'timestamp with time zone': value => `to_char(${value} at time zone 'UTC', case
    when ${value} <> date_trunc('milliseconds', ${value}) then 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"' else 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"' end)`,
};
/** As this client shows them: exact numbers are texts. */
const EXACT = ['bigint', 'numeric'];

/** PostgreSQL cuts what is longer, in the answer too. */
const LONGEST = 63;

/** Something that is asked of rows: its text in the query, its name in the answer, and SQL. */
type Result = { text: string; name: string; sql: string };

const shown = ({ column, type }: Column, aggregate = ''): string => {
  const value = `${aggregate}(x.${quoted(column)})`;
  if (aggregate === 'avg') return `trim_scale(${value})::text`;
  return EXACT.includes(type) || aggregate === 'sum' ? `${value}::text` : SHOWN[type]?.(value) ?? value;
};

test(`fields, searches and groups are those that were meant (RANDOM_SEED=${seed})`, async t => {
  const { service, db, tables, call, end } = await callsOf(t);
  for (const table of tables) {
    for (let n = 0; n < ROWS; n++) await (db.from(table.slug) as Row)['create'](rowOf(table, [])).catch(() => undefined);
  }
  const asked = async (sql: string, given: string[] = []): Promise<string[]> =>
    (await service.sql.unsafe<{ row: unknown[] }[]>(sql, given)).map(({ row }) => JSON.stringify(row)).sort();
  const lines = (list: Row[], names: string[]): string[] => list.map(row => JSON.stringify(names.map(name => row[name]))).sort();

  for (let n = 0; n < runs(CASES); n++) {
    const table = oneOf(tables);
    const rows: Row = db.from(table.slug);
    const key = table.key.map(({ name }) => name);
    const kind = random(3);
    if (kind === 0) {
      const fields = Array.from({ length: 1 + random(3) }, () => oneOf([...table.key, ...table.fields]).name);
      const query = { fields, limit: ROWS };
      const page: { data: Row[] } | undefined = await call([], query, () => rows['list'](query), `case ${n}: fields`);
      for (const row of page?.data ?? []) {
        t.same(Object.keys(row).sort(), [...new Set([...fields, ...key])].sort(), `case ${n}: the fields`);
        t.same(await differing(service, table, row), [], `case ${n}: as they are stored`);
      }
    } else if (kind === 1) {
      const query = { searchString: textOf().replaceAll('"', ''), limit: ROWS };
      const page: { data: Row[] } | undefined = await call([], query, () => rows['list'](query), `case ${n}: search`);
      if (!page) continue;
      t.same(lines(page.data, key), await asked(searched(table), [query.searchString]), `case ${n}: rows with every word`, { query });
    } else {
      const { query, results, sql } = groupsOf(table);
      const groups: Row[] | undefined = await call(['aggregate'], query, () => rows['aggregate'](query), `case ${n}: groups`);
      if (groups) t.same(lines(groups, results), await asked(sql), `case ${n}: as SQL has them`, { query });
    }
  }
  end(40);
});

/** The keys of rows that hold every word of $1 somewhere in their texts. */
function searched({ table, key, fields }: Table): string {
  const texts = [...key, ...fields].filter(({ type }) => type === 'text').map(({ column }) => `x.${quoted(column)}`);
  const holds = texts.map(text => `coalesce(position(lower(w) in lower(${text})) > 0, false)`).join(' or ');
  return `select json_build_array(${key.map(column => shown(column)).join()}) as row from ${quoted(table)} x
    where (select coalesce(bool_and(${holds}), true) from regexp_split_to_table($1, '\\s+') w where w <> '')`;
}

/** A query of aggregates, the names of its results, and the same in SQL. */
function groupsOf({ table, key, fields }: Table): { query: Row; results: string[]; sql: string } {
  const among = (types: string[]): Column => oneOf([...key, ...fields].filter(({ type }) => types.includes(type)));
  const aggregate = (name: string, column: Column): Result =>
    ({ text: `${name}(${column.name})`, name: `${name}_${column.name}`, sql: shown(column, name) });
  const count: Result = { text: 'count()', name: 'count', sql: 'count(*)' };
  const made = Array.from({ length: 1 + random(3) }, () => oneOf<() => Result>([
    () => count,
    () => { const of = oneOf(fields); return { ...aggregate('count', of), sql: `count(x.${quoted(of.column)})` }; },
    () => aggregate(oneOf(['sum', 'avg']), among(SUMMED)),
    () => aggregate(oneOf(['min', 'max']), among(ORDERED)),
  ])()).map(one => Buffer.byteLength(one.name) > LONGEST ? count : one);
  const group = among(GROUPED);
  const groups = random(3) > 0 && group.name !== 'count' ? [{ text: group.name, name: group.name, sql: shown(group) }] : [];
  const results = [...new Map([...made, ...groups].map(one => [one.name, one])).values()];
  return {
    query: {
      select: results.filter(one => !groups.includes(one)).map(({ text }) => text),
      ...groups.length > 0 && { groupBy: [group.name], limit: 2 * ROWS },
    },
    results: results.map(({ name }) => name),
    sql: `select json_build_array(${results.map(({ sql }) => sql).join()}) as row from ${quoted(table)} x
      ${groups.length > 0 ? `group by x.${quoted(group.column)}` : ''}`,
  };
}
