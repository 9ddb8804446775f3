/**
 * What a write asks for, with its values taken out, as the shape of a read: two writes that name the same fields share
 * one shape and one compiled plan. `service.write_plan(shape, roles)` reads exactly this JSON.
 */
export type WriteShape = {
  op: 'create' | 'update' | 'delete';
  collection: string;
  /** The names in the body, sorted, so that their order does not make another shape. */
  body?: string[];
  return?: 'minimal';
  /** What the answer is narrowed to. */
  fields?: string[];
  hard?: true;
};

/** A parsed write: its shape, the slug and the id, and the whole request as the JSON that `service.write` takes. */
export type ParsedWrite = { shape: WriteShape; path: string[]; text: string };
