import assert from 'node:assert/strict';
import fc from 'fast-check';
import type postgres from 'postgres';
import { test } from 'tap';
import { random } from '../harness/effort.ts';
import { collections, createWriter, type Writer } from './client.ts';
import { Refusal, write, writeMany, type Row, type Rows, type Write } from './differential/model.ts';
import { steps, type Step } from './differential/requests.ts';

// Random writes, done over HTTP in one table, from psql in another of the same kind, and by a model of what they mean in memory.

const [HTTP, PSQL] = ['overHttp', 'fromPsql'];
const collection = (slug: string) => ({
  slug, softDelete: true, securityRules: [{ operation: 'all', access: 'public' }],
  properties: {
    id: { type: 'number', isId: 'manual' }, code: { type: 'string', validation: { unique: true } },
    name: { type: 'string', validation: { required: true, min: 1, max: 3 } }, price: { type: 'number', validation: { min: 0, max: 10 } },
    tags: { type: 'array', of: { type: 'string' }, validation: { max: 2 } }, deletedAt: { type: 'date' },
  },
});

const FIRST: [id: number, code: string | null, isDeleted: boolean][] = [[1, 'a', false], [2, 'b', false], [3, 'c', true], [4, null, false]];

/** The outcome of a step: the rows of its answer, or its error. */
type Outcome = { rows: (Row | null)[] } | { status: number; code: string };

const rowOf = ({ deletedAt, ...values }: Record<string, unknown>) => ({ ...values, isDeleted: deletedAt !== null }) as Row;
const rowsOf = (data: (Record<string, unknown> | null)[]) => data.map(row => row && rowOf(row));

function modelled(rows: Rows, step: Step): Outcome & { index?: number } {
  try {
    return { rows: step.kind === 'one' ? [copy(write(rows, step.write))] : writeMany(rows, step.writes) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, code: error.code, ...(error.index !== undefined && { index: error.index }) };
  }
}

const copy = (row: Row | null) => row && { ...row };

async function overHttp({ send }: Writer, step: Step): Promise<Outcome & { index?: number }> {
  const { status, body } = await send(...requestOf(step));
  if (status >= 400) return { status, code: body.error.code, ...(step.kind !== 'one' && { index: body.error.details?.index }) };
  assert.equal(status, step.kind !== 'one' ? 200 : { create: 201, update: 200, delete: 204 }[step.write.op]);
  if (step.kind === 'one') return { rows: [step.write.op === 'delete' ? null : rowOf(body)] };
  if (step.kind === 'batch' || step.op !== 'delete') return { rows: rowsOf(body.data) };
  assert.deepEqual(body, { meta: { deleted: step.writes.length } });
  return { rows: step.writes.map(() => null) };
}

function requestOf(step: Step): [method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown] {
  if (step.kind === 'batch') return ['POST', '_batch', { operations: operationsOf(step.writes, HTTP) }];
  if (step.kind === 'bulk') {
    const [first] = step.writes;
    if (first?.op === 'delete') return ['POST', `${HTTP}/bulk/delete${first.hard ? '?hard=true' : ''}`, { ids: step.writes.map(idOf) }];
    if (first?.op === 'update') return ['PATCH', `${HTTP}/bulk`, { updates: updatesOf(step.writes) }];
    return ['POST', `${HTTP}/bulk`, { rows: step.writes.map(valuesOf), ...(first?.upsert && { upsert: true, onConflict: first.upsert }) }];
  }
  const one = step.write;
  if (one.op === 'create') return ['POST', `${HTTP}${one.upsert ? `?on_conflict=${one.upsert.join()}` : ''}`, one.values];
  return one.op === 'update'
    ? ['PATCH', `${HTTP}/${idOf(one)}`, one.values]
    : ['DELETE', `${HTTP}/${idOf(one)}${one.hard ? '?hard=true' : ''}`];
}

const idOf = (one: Write) => one.op === 'create' ? undefined : one.id as number;
const valuesOf = (one: Write) => one.op === 'delete' ? undefined : one.values;
const updatesOf = (writes: Write[]) => writes.map(one => ({ id: idOf(one), data: valuesOf(one) }));
const operationsOf = (writes: Write[], slug: string) => writes.map(one => {
  if (one.op !== 'create') return { ...one, collection: slug };
  const { op, upsert, ...others } = one;
  return { ...others, op: upsert ? 'upsert' : op, collection: slug, ...(upsert && { onConflict: upsert }) };
});

async function fromPsql({ sql }: Writer, step: Step): Promise<Outcome> {
  try {
    const [row] = await called(sql, step);
    const body: any = row?.['body'];
    if (step.kind === 'one') return { rows: [step.write.op === 'delete' ? null : rowOf(body)] };
    return { rows: step.kind === 'bulk' && step.op === 'delete' ? step.writes.map(() => null) : rowsOf(body.data) };
  } catch (error) {
    const { code, hint } = error as { code: string; hint?: string };
    if (code === '23505') return { status: 409, code: 'PG_23505' };
    if (!code.startsWith('GW')) throw error;
    return { status: Number(code.slice(2)), code: hint ?? '' };
  }
}

function called(sql: postgres.Sql, step: Step): postgres.PendingQuery<postgres.Row[]> {
  const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;
  if (step.kind === 'batch') return sql`select service.batch(${json(operationsOf(step.writes, PSQL))}) as body`;
  const first = step.kind === 'one' ? step.write : step.writes[0] as Write;
  const hard = first.op === 'delete' && first.hard === true;
  if (step.kind === 'bulk') {
    if (first.op === 'delete') return sql`select service.remove_many(${PSQL}, ${json(step.writes.map(idOf))}, hard => ${hard}) as body`;
    if (first.op === 'update') return sql`select service.update_many(${PSQL}, ${json(updatesOf(step.writes))}) as body`;
    const target = first.upsert ? json(first.upsert) : sql`null`;
    return sql`select service.create_many(${PSQL}, ${json(step.writes.map(valuesOf))}, on_conflict => ${target}) as body`;
  }
  if (first.op === 'delete') return sql`select service.remove(${PSQL}, ${String(idOf(first))}, hard => ${hard})`;
  if (first.op === 'update') return sql`select service.update(${PSQL}, ${String(idOf(first))}, ${json(first.values)}) as body`;
  return first.upsert ? sql`select service.create_many(${PSQL}, ${json([first.values])}, on_conflict => ${json(first.upsert)})
    -> 'data' -> 0 as body`
    : sql`select service.create(${PSQL}, ${json(first.values)}) as body`;
}

async function stored({ request }: Writer, slug: string): Promise<Row[]> {
  const { body } = await request(`/data/${slug}?orderBy=id&deleted=include&limit=100`);
  return rowsOf(body.data) as Row[];
}

test('random writes leave and answer what the model says, over HTTP and from psql', { timeout: 900_000 }, async t => {
  const writer = await createWriter(t,
    { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, collection(HTTP), collection(PSQL)) } });
  const counts = new Map<string, number>();
  await t.resolves(fc.assert(fc.asyncProperty(steps, async given => {
    await writer.sql`truncate over_http, from_psql`;
    for (const table of ['over_http', 'from_psql']) await writer.sql`insert into ${writer.sql(table)} (id, code, name, deleted_at)
      values (1, 'a', 'n', null), (2, 'b', 'n', null), (3, 'c', 'n', now()), (4, null, 'n', null)`;
    const rows: Rows = new Map(FIRST.map(([id, code, isDeleted]) => [id, { id, code, name: 'n', price: null, tags: null, isDeleted }]));
    for (const step of given) {
      const told = JSON.stringify({ step, before: [...rows.values()] });
      const expected = modelled(rows, step);
      assert.deepEqual(await overHttp(writer, step), expected, `HTTP: ${told}`);
      const outcome = 'rows' in expected ? expected : { status: expected.status, code: expected.code };
      assert.deepEqual(await fromPsql(writer, step), outcome, `psql: ${told}`);
      const all = [...rows.values()].sort((a, b) => a.id - b.id);
      assert.deepEqual(await stored(writer, HTTP), all, `stored over HTTP: ${told}`);
      assert.deepEqual(await stored(writer, PSQL), all, `stored from psql: ${told}`);
      const kind = `${step.kind} ${'rows' in expected ? 'done' : expected.code}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }), random(60)));
  t.comment([...counts].sort().map(([kind, n]) => `${kind}: ${n}`).join(', '));
  const kinds = [...counts.keys()];
  t.ok(kinds.some(kind => kind.endsWith('done')) && kinds.some(kind => !kind.endsWith('done')), 'some were done, some refused');
});
