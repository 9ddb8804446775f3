// Random rows and changes through the client, of several rows at once too: SQL has what was meant, or nothing was written.
import { test } from 'tap';
import { runs, seed } from '../harness/effort.ts';
import type { TestService } from '../harness/service.ts';
import { callsOf } from './fuzz-calls.ts';
import {
  chance, differing, idOf, json, oneOf, quoted, random, records, rowOf, textOf, VALUES, type Row, type Table,
} from './odd-tables.ts';

const CASES = 2_000;

/** Operations by types, each with what SQL does in its place: x is the row, p0 holds the operand. */
type Operation = { types: string[]; operand: (type: string) => unknown; sql: (x: string, operand: string) => string };
const OPERATIONS: Record<string, Operation> = {
  $inc: {
    types: ['integer', 'bigint', 'numeric', 'double precision'], operand: type => VALUES[type]?.(),
    sql: (x, operand) => `coalesce(${x}, 0) + ${operand}`,
  },
  $push: {
    types: ['text[]', 'bigint[]'], operand: type => VALUES[type]?.(),
    sql: (x, operand) => `coalesce(${x}, '{}') || ${operand}`,
  },
  $pull: {
    types: ['text[]', 'bigint[]'], operand: type => VALUES[type]?.(),
    sql: (x, operand) => `array(select e from unnest(${x}) with ordinality u (e, n) where e <> all (${operand}) order by n)`,
  },
  $merge: {
    types: ['jsonb'], operand: () => ({ [textOf()]: VALUES['jsonb']?.() }),
    sql: (x, operand) => `coalesce(${x}, '{}') || ${operand}`,
  },
};

test(`rows and changes arrive as they were meant (RANDOM_SEED=${seed})`, async t => {
  const { service, db, tables, call, end } = await callsOf(t);
  const keys = new Map<Table, unknown[][]>(tables.map(table => [table, []]));
  const idIn = (table: Table, row: Row): unknown[] => table.key.map(({ name }) => row[name]);

  for (let n = 0; n < runs(CASES); n++) {
    const table = oneOf(tables);
    const known = keys.get(table) as unknown[][];
    const rows: Row = db.from(table.slug);
    const isNew = (row: Row): boolean => !known.some(id => String(id) === String(idIn(table, row)));
    const kind = known.length === 0 ? 0 : random(3);
    if (kind === 0) {
      const values = Array.from({ length: 1 + random(3) }, () => rowOf(table, known));
      const before = await countOf(service, table);
      const page: { data: Row[] } | undefined = await call(['bulk'], {}, () => rows['createMany'](values), `case ${n}: createMany`);
      t.equal(await countOf(service, table), before + (page ? values.length : 0), `case ${n}: all of them, or none`);
      for (const [i, row] of (page ? values : []).entries()) {
        known.push(idIn(table, row));
        t.same(await differing(service, table, row), [], `case ${n}: is stored as it was written`);
        t.same(await differing(service, table, page?.data[i] ?? {}), [], `case ${n}: and answered as it is stored`);
      }
    } else if (kind === 1) {
      const values = { ...rowOf(table, known), ...chance(50) && ownKey(table, oneOf(known)) };
      const onConflict = table.key.map(({ name }) => name);
      const row = await call([], { on_conflict: onConflict }, () => rows['upsert'](values, { onConflict }), `case ${n}: upsert`);
      if (row === undefined) continue;
      if (isNew(values)) known.push(idIn(table, values));
      t.same(await differing(service, table, values), [], `case ${n}: is stored as it was written`);
    } else {
      const id = oneOf(known);
      const { changes, plain, expected, untouched } = await changesOf(service, table, id);
      const about = `case ${n}: update`;
      const row: Row | undefined = await call([idOf(id)], {}, () => rows['update'](id.length > 1 ? id : id[0], changes), about);
      t.same(await untouched(), [], `${about} leaves the other fields`);
      if (row === undefined) continue;
      t.same(await differing(service, table, { ...ownKey(table, id), ...plain }), [], `${about} of values`);
      t.same(await differing(service, table, row), [], `${about} is answered as it is stored`);
      t.same(await expected(), [], `${about} by operations`, { changes });
    }
  }
  end(25);
});

async function countOf({ sql }: TestService, { table }: Table): Promise<number> {
  const [row] = await sql.unsafe<{ n: number }[]>(`select count(*)::integer as n from ${quoted(table)}`);
  return row?.n ?? 0;
}

const ownKey = ({ key }: Table, id: unknown[]): Row => Object.fromEntries(key.map(({ name }, i) => [name, id[i]]));

/** Random changes of a row, and how to see afterwards whether fields differ from what SQL makes of them, or have changed beside. */
async function changesOf({ sql }: TestService, table: Table, id: unknown[]): Promise<{
  changes: Row; plain: Row; expected: () => Promise<string[]>; untouched: () => Promise<string[]>;
}> {
  const chosen = table.fields.filter(() => chance(25)).map(({ name, column, type }) => {
    const fitting = Object.entries(OPERATIONS).filter(([, { types }]) => types.includes(type));
    const [operator, operation] = fitting.length > 0 && chance(60) ? oneOf(fitting) : [undefined, undefined];
    const operand: unknown = operation ? operation.operand(type) : VALUES[type]?.();
    return { name, column, operator, operand, sql: operation?.sql };
  });
  const operands = Object.fromEntries(chosen.map(({ name, operand }) => [name, operand]));
  const match = table.key.map(({ column }) => `x.${quoted(column)} = k.${quoted(column)}`).join(' and ');
  const key = `jsonb_populate_record(null::${quoted(table.table)}, $2::text::jsonb) k`;
  const values = async (list: [name: string, expression: string][]): Promise<Map<string, unknown>> => {
    if (list.length === 0) return new Map();
    const [row = []] = await sql.unsafe(`select ${list.map(([, expression]) => `(${expression})::text`).join()}
      from ${quoted(table.table)} x, ${records(table, 1)}, ${key} where ${match}`,
    [json(table, operands), json(table, ownKey(table, id))]).values().catch(() => []);
    return new Map(list.map(([name], i) => [name, row[i]]));
  };
  const counted = chosen.flatMap(({ name, column, sql }): [string, string][] =>
    sql ? [[name, sql(`x.${quoted(column)}`, `p0.${quoted(column)}`)]] : []);
  const stored = (list: { name: string; column: string }[]): [string, string][] =>
    list.map(({ name, column }) => [name, `x.${quoted(column)}`]);
  const others = table.fields.filter(({ name }) => !Object.hasOwn(operands, name));
  const [wanted, before] = [await values(counted), await values(stored(others))];
  const unlike = (one: Map<string, unknown>, other: Map<string, unknown>): string[] =>
    [...one].filter(([name, value]) => value !== other.get(name)).map(([name]) => name);
  return {
    changes: Object.fromEntries(chosen.map(({ name, operator, operand }) => [name, operator ? { [operator]: operand } : operand])),
    plain: Object.fromEntries(chosen.filter(({ operator }) => !operator).map(({ name, operand }) => [name, operand])),
    expected: async () => unlike(wanted, await values(stored(chosen.filter(({ operator }) => operator)))),
    untouched: async () => unlike(before, await values(stored(others))),
  };
}
