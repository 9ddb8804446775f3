/** Writes of several collections in one transaction, which may refer to each other's rows. */
import { changesOf } from './changes.ts';
import { refuse } from './error.ts';
import { idText, type Id } from './id.ts';
import { shapeOf, writeJson } from './json.ts';
import { mapped } from './parameters.ts';
import { send, type Connection, type WriteOptions } from './request.ts';
import type { AnySchema, At, CollectionOf, FieldName, Kinds, RowOf, Slug } from './schema.ts';

declare const VALUE: unique symbol;
declare const ROW: unique symbol;
declare const DIGITS: unique symbol;

/** A field of a row that an operation before will have written. */
export interface Ref<V> {
  readonly $ref: unknown;
  readonly [VALUE]: V;
}
/** Marks a text that is a number with every digit, as a field of no known kind may be, and another text is not. */
export interface ExactText {
  readonly [DIGITS]: true;
}
type Digits<V> = V extends string ? V & ExactText : V;
/** An operation of a batch. Its fields stand for those of its row, and the batch returns the row in its place. K: their kinds. */
export type Operation<Row, K = { [F in keyof Row]: 'string' }> = {
  readonly [F in keyof Row]-?: Ref<At<K, F> extends 'digits' | 'money' ? Digits<Shown<Row[F]>> : Shown<Row[F]>>;
} & { readonly [ROW]?: Row };
type Shown<V> = Exclude<V, undefined>;
export type Written<C> = Operation<RowOf<C>, Kinds<C>>;
/** The deletion of a row: null in the answer. */
export interface Removal {
  readonly [ROW]?: null;
}
/** References in the place of fields and, inside of them, of elements and members: of links, of arrays and of JSON. */
type Referring<T> = { [K in keyof T]: Referable<T[K]> };
type Referable<V> = V | RefTo<V> | Within<V>;
type Within<V> = V extends Date ? never
  : V extends readonly (infer E)[] ? readonly Referable<E>[] : V extends object ? Referring<V> : never;
/** Exact numbers are written as texts too. */
type RefTo<V> = Ref<bigint extends V ? Exclude<V, string | undefined> | Digits<string> : Shown<V>>;

/** The answer of a batch: in place of each operation its row. */
export type Outcome<T> =
  T extends Date ? T : T extends { readonly [ROW]?: infer Row } ? Exclude<Row, undefined> : { -readonly [K in keyof T]: Outcome<T[K]> };

export interface Batch<S extends AnySchema> {
  create<N extends Slug<S>>(collection: N, values: Referring<At<CollectionOf<S, N>, 'create'>>): Written<CollectionOf<S, N>>;
  update<N extends Slug<S>>(
    collection: N, id: Referred<CollectionOf<S, N>>, changes: Referring<At<CollectionOf<S, N>, 'update'>>,
  ): Written<CollectionOf<S, N>>;
  upsert<N extends Slug<S>>(
    collection: N, values: Referring<At<CollectionOf<S, N>, 'create'>>, options: { onConflict: readonly FieldName<CollectionOf<S, N>>[] },
  ): Written<CollectionOf<S, N>>;
  remove<N extends Slug<S>>(collection: N, id: Referred<CollectionOf<S, N>>): Removal;
}
type Referred<C> = At<C, 'id'> | RefTo<At<C, 'id'>>;

type Sent = { op: string; collection: string; [member: string]: unknown };

/** `POST /data/_batch` */
export async function sendBatch(connection: Connection, describe: (batch: never) => unknown, options?: WriteOptions): Promise<unknown> {
  const operations: Sent[] = [];
  const returned: unknown[] = [];
  let parts: number;
  const late = (): never => refuse('A batch is described at once, without await.');
  let add = (op: string, collection: string, members: object): unknown => {
    const ref = `o${operations.length}`;
    const operation = new Proxy({}, {
      get: (_, field) => typeof field === 'string' && { $ref: { toJSON: () => (parts++, `${ref}.${field}`) } },
    });
    operations.push({ op, collection, ...op !== 'delete' && { ref }, ...members });
    returned.push(operation);
    return operation;
  };
  const idOf = (id: Id | Ref<unknown>): unknown => '$ref' in Object(id) ? id : idText(id as Id);
  const wanted = describe({
    create: (collection: string, values: unknown) => add('create', collection, { values }),
    update: (collection: string, id: Id, values: Record<string, unknown>) =>
      add('update', collection, { id: idOf(id), values: changesOf(values) }),
    upsert: (collection: string, values: unknown, more: object) => add('upsert', collection, { values, ...more }),
    remove: (collection: string, id: Id) => add('delete', collection, { id: idOf(id) }),
  } as never);
  add = late;
  if (wanted instanceof Promise) {
    wanted.catch(() => undefined); // it goes on, and is refused
    late();
  }
  if (!operations[0]) refuse('The batch is empty.');
  // JSON that looks like a reference would show a row to the one who wrote it.
  parts = 1;
  if (writeJson(operations).split('"$ref":').length > parts) refuse('"$ref" cannot be sent.');
  const items = operations.map(({ collection }) => shapeOf(connection.facts, collection));
  const shape = { relations: { data: { items } } };
  const { data } = await send<{ data: unknown[] }>(connection, { method: 'POST', path: ['_batch'], body: { operations }, shape }, options);
  return outcomeOf(wanted);

  function outcomeOf(value: unknown): unknown {
    const place = returned.indexOf(value);
    if (place >= 0) return data[place];
    if (Array.isArray(value)) return value.map(outcomeOf);
    // A date, or a map, stays as it is.
    return / Object/.test({}.toString.call(value)) ? mapped(value as Record<string, unknown>, outcomeOf) : value;
  }
}
