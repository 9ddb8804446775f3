/**
 * A write without its values, as the shape of a read: two writes that name the same fields share one shape and one compiled plan.
 * `service_private.write_plan(shape, roles)` reads exactly this JSON.
 */
export type WriteShape = {
  op: 'create' | 'update' | 'delete';
  /** The collection of the row; for a nested path the grammar knows only the first one. */
  collection: string;
  /** For a nested path, up to the last relation: `['artist', 1, 'albums']`, each id by its place in the request's path. */
  path?: (string | number)[];
  /** The names in the body, or in any of its rows, sorted, so that their order does not make another shape. */
  body?: string[];
  /** The operations that an update sends in place of values, by field: `$inc`. */
  operations?: Record<string, string>;
  return?: 'minimal';
  /** The fields that the answer is narrowed to. */
  fields?: string[];
  hard?: true;
  /** It is written only while it has one of the tags that the request names. */
  match?: true;
  /** It is safe to send again: the request has an idempotency key. */
  key?: true;
  /** For an upsert: the names of the unique fields; none: the key. */
  conflict?: string[];
  /** For one write of many: other operations may refer to its row. */
  ref?: true;
  /** For many rows: the name of their list, whether each is {id, data}, and the fields that only some of them have. */
  bulk?: { list: string; apart?: true; sometimes?: string[] };
};

/** A parsed write: its shape, its path, and the whole request as the JSON that `service_private.write` takes. */
export type ParsedWrite = {
  /** For many rows only `op` and the collection are known when it has no `bulk`; for a batch nothing is. */
  shape: WriteShape;
  path: string[];
  text: string;
  /** The shapes of a batch's operations, as far as they are known, each once: those of service_private.many_shape. */
  operations?: WriteShape[];
  /** The kind of write: one row, rows of one collection, or rows of any. */
  of: 'row' | 'rows' | 'batch';
};
