// Random names and values through the client: SQL has what was meant, or the client or the service refuses it, and each address says it.
import { test } from 'tap';
import { runs, seed } from '../harness/effort.ts';
import { callsOf } from './fuzz-calls.ts';
import {
  chance, differing, idOf, json, oneOf, quoted, random, records, rowOf, textOf, VALUES, type Row, type Table,
} from './odd-tables.ts';

const CASES = 3_000;
const COMPARED = ['==', '!=', '>', '>=', '<', '<='];
const PATTERNS = ['like', 'ilike', 'not-like', 'not-ilike'];

test(`names and values arrive as they were meant (RANDOM_SEED=${seed})`, async t => {
  const { service, db, tables, call, end } = await callsOf(t);
  const keys = new Map<Table, unknown[][]>(tables.map(table => [table, []]));
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
  end(50);
});

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
