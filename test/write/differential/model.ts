// The meaning of writes, in memory: one collection of rows with a unique code, rules and a soft delete.

export type Row = { id: number; code: string | null; name: string | null; price: number | null; tags: string[] | null; isDeleted: boolean };
type Values = Record<string, any>;
/** A write of one row; `upsert`: the target of an upsert, none of its names is the key. */
export type Write =
  | { op: 'create'; values: Values; upsert?: ('id' | 'code')[]; ref?: string }
  | { op: 'update'; id: number | { $ref: string }; values: Values; ref?: string }
  | { op: 'delete'; id: number | { $ref: string }; hard?: boolean };
export type Rows = Map<number, Row>;

/** A write that is not done, as the API answers it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly index: number | undefined;

  constructor(status: number, code: string, index?: number) {
    super(`${status} ${code}`);
    [this.status, this.code, this.index] = [status, code, index];
  }
}

const DEFAULTS = { code: null, name: null, price: null, tags: null, isDeleted: false };
const MOST = { name: 3, price: 10, tags: 2 };

/** Does one write, or none of it. @throws Refusal */
export function write(rows: Rows, one: Write): Row | null {
  judge(one);
  return run(rows, one);
}

/** Does all of them in their order, or none. @throws Refusal with the index of the first to blame. */
export function writeMany(rows: Rows, many: Write[]): (Row | null)[] {
  const changed = new Map([...rows].map(([id, row]) => [id, { ...row }]));
  const named: Record<string, Row | null> = {};
  each(many, one => { if (typeof idOf(one) !== 'object') judge(one); });
  const answers = each(many, one => {
    const resolved = resolve(one, named);
    judge(resolved);
    const row = run(changed, resolved);
    if (one.op !== 'delete' && one.ref !== undefined) named[one.ref] = row;
    return row === null ? null : { ...row };
  });
  rows.clear();
  for (const [id, row] of changed) rows.set(id, row);
  return answers;
}

function each<T>(many: Write[], does: (one: Write) => T): T[] {
  return many.map((one, index) => {
    try {
      return does(one);
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(error.status, error.code, index) : error;
    }
  });
}

function idOf(one: Write): number | { $ref: string } | undefined {
  return one.op === 'create' ? undefined : one.id;
}

function resolve(one: Write, named: Record<string, Row | null>): Write {
  const id = idOf(one);
  return one.op === 'create' || typeof id !== 'object' ? one : { ...one, id: named[id.$ref.split('.')[0] as string]?.id as number };
}

/** Checks that depend on the values alone. */
function judge(one: Write): void {
  if (one.op === 'delete') return;
  const { name, price, tags } = one.values;
  const lacks = one.op === 'create' && (name === undefined || name === null);
  const breaks = (typeof name === 'string' && (name.length < 1 || name.length > MOST.name)) || (typeof price === 'number' && isOut(price))
    || (Array.isArray(tags) && tags.length > MOST.tags);
  if (lacks || breaks) throw new Refusal(400, 'VALIDATION_CONSTRAINT');
}

function isOut(price: number): boolean {
  return price < 0 || price > MOST.price;
}

function run(rows: Rows, one: Write): Row | null {
  if (one.op === 'create') return create(rows, one.values, one.upsert);
  const row = rows.get(one.id as number);
  if (one.op === 'update') return update(rows, row, one.values);
  if (row === undefined || (row.isDeleted && !one.hard)) throw new Refusal(404, 'NOT_FOUND');
  if (one.hard) rows.delete(row.id);
  else row.isDeleted = true;
  return null;
}

function create(rows: Rows, values: Values, target: ('id' | 'code')[] = []): Row {
  const row = { ...DEFAULTS, ...values } as Row;
  const isUpsert = target.length > 0 && target.every(name => row[name] !== null);
  const there = isUpsert ? [...rows.values()].find(other => target.every(name => other[name] === row[name])) : undefined;
  if (there?.isDeleted) throw new Refusal(409, 'ROW_IN_TRASH');
  if (there) {
    return store(rows, there, { ...values, id: there.id, ...(target.includes('code') && { code: there.code }) });
  }
  if (rows.has(row.id) || isTaken(rows, row)) throw new Refusal(409, 'PG_23505');
  rows.set(row.id, row);
  return row;
}

function update(rows: Rows, row: Row | undefined, { id, deletedAt, ...values }: Values): Row {
  if (row === undefined || (row.isDeleted && deletedAt === undefined)) throw new Refusal(404, 'NOT_FOUND');
  if (id !== undefined && id !== row.id) throw new Refusal(400, 'KEY_IMMUTABLE');
  if (typeof deletedAt === 'string') throw new Refusal(400, 'FIELD_NOT_WRITABLE');
  const { price, tags } = values;
  const worked: Partial<Row> = {
    ...values, ...(price?.$inc !== undefined && { price: (row.price ?? 0) + (price.$inc as number) }),
    ...(tags?.$push !== undefined && { tags: [...row.tags ?? [], tags.$push] }),
    ...(tags?.$pull !== undefined && { tags: (row.tags ?? []).filter(tag => tag !== tags.$pull) }),
  };
  const pushed: string[] = tags?.$push === undefined ? [] : worked.tags ?? [];
  if (isOut(worked.price ?? 0) || pushed.length > MOST.tags) {
    throw new Refusal(400, 'VALIDATION_CONSTRAINT');
  }
  return store(rows, row, { ...worked, ...(deletedAt === null && { isDeleted: false }) });
}

function store(rows: Rows, row: Row, values: Values): Row {
  if (isTaken(rows, { ...row, ...values })) throw new Refusal(409, 'PG_23505');
  return Object.assign(row, values);
}

/** Deleted rows keep theirs. */
function isTaken(rows: Rows, { id, code }: Row): boolean {
  return code !== null && [...rows.values()].some(other => other.id !== id && other.code === code);
}
