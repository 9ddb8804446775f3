/** The parameters of every statement that its request's own come after: what `service.enter` takes. */
export const CALLER_PARAMETERS = 5;

/**
 * A data request without its values: two requests that differ only in values share one shape, one compiled statement and one prepared plan.
 * `service.compile(shape, roles)` reads exactly this JSON.
 *
 * Wherever the request carries a value, the shape carries its parameter number. $1 to $5 are always the caller's claims, so values start at
 * 6: `?artistId=1` is `{"artistId":[["==",6]]}` with values `["1"]`, and a path inside JSON is one too: `?map->lang=de` is
 * `{"map->$6":[["==",7]]}` with values `["lang","de"]`.
 */
export type ReadShape = {
  op: 'list' | 'get' | 'count' | 'aggregate' | 'history' | 'value';
  /** `["album"]`, `["album", 6]`, `["artist", 6, "album"]`: slug, then ids (as parameters) and relation names in turn. */
  path: (string | number)[];
  /** Every condition of every field must hold (`?field=` and `where` together). */
  where?: Record<string, Condition[]>;
  /** The one logical group: `or` before `and` before `not`. */
  logical?: Group;
  orderBy?: SortKey[];
  /** `param` holds the exact limit; `bucket` is limit + 1 rounded up to a power of two, a literal for the planner. */
  limit?: { param: number; bucket: number };
  offset?: number;
  after?: { param: number; keys: CursorKey[]; nulls: boolean[] };
  fields?: string[];
  distinct?: true;
  include?: Record<string, Include>;
  deleted?: 'include' | 'only';
  search?: { param: number; explain?: true };
  vector?: { property: string; param: number; distance: 'cosine' | 'l2' | 'inner_product'; threshold?: number };
  select?: Aggregate[];
  groupBy?: string[];
  /**
   * The rows are those that an SQL function returns; the path is `["functions/<name>"]` where they are no collection's, op `value` where
   * there are none. `sent`: the names in the body, which is a parameter; one blank name for a body that is the argument itself. `rows`: a
   * parameter for the rows that a function has returned that was called before.
   */
  call?: { function: string; sent: string[]; body: number; rows?: number };
  /** Each of so many values is an array with those of several requests (gateway/catalog/coalescer.ts). */
  many?: number;
  /** `Prefer: count=none|estimated`; exact when absent. */
  count?: 'none' | 'estimated';
  /** Clauses that this kind of read has no use for. Their names are checked all the same; their parameter numbers mean nothing. */
  checked?: Pick<ReadShape, CheckedClause>;
};

/** The clauses whose names only the catalog can check. */
export type CheckedClause = 'orderBy' | 'fields' | 'distinct' | 'include' | 'vector' | 'select' | 'groupBy';

/** The part of a shape that the path of a read sets; the history of a row has a route of its own. */
export type PathShape = ReadShape & { op: Exclude<ReadShape['op'], 'history' | 'value'> };

/**
 * `[operator, value]`. The value is a parameter number, `[number]` for a list (one array parameter, as PostgreSQL
 * array text), or null for SQL NULL (also for the null tests, which take no value). A third entry says that the client
 * sent a JSON number: `"number"` a whole one, which matters on JSON paths only; `"decimal"` one with a point or an
 * exponent (in a list, one at least), which a column of whole numbers is compared with as numeric.
 */
export type Condition = [Operator, number | [number] | null] | [Operator, number | [number] | null, 'number' | 'decimal'];
export type Group = { type: 'and' | 'or' | 'not'; conditions: (Group | Leaf)[] };
export type Leaf = { column: string; condition: Condition };
/** One sort key. `nulls` is there only where it differs from the default, which is last ascending, first descending. */
export type SortKey = { field: string; direction: 'asc' | 'desc'; nulls?: 'first' | 'last' };
/** A key as the cursor carries it: field, direction, effective NULL placement. */
export type CursorKey = [field: string, direction: 'asc' | 'desc', nulls: 'first' | 'last'];
/** `limit` is a parameter number; `{}` loads the relation whole. */
export type Include = {
  where?: Record<string, Condition[]>;
  logical?: Group;
  orderBy?: SortKey[];
  limit?: number;
  fields?: string[];
  include?: Record<string, Include>;
};
export type Aggregate = { fn: 'count' | 'sum' | 'avg' | 'min' | 'max'; field?: string };
export type Operator =
  | '==' | '!=' | '>' | '>=' | '<' | '<=' | 'in' | 'not-in' | 'array-contains' | 'array-contains-any'
  | 'like' | 'ilike' | 'not-like' | 'not-ilike' | 'is-null' | 'is-not-null';

/** A parsed read. */
export type ParsedRead = {
  shape: ReadShape;
  /** For $6 onwards. */
  values: string[];
  /** The source of each value, for errors. */
  sources: ValueSource[];
  /** It asks for the plan instead of rows. */
  explain?: true;
};
export type ValueSource = { kind: 'filter'; field: string } | { kind: 'id' | 'limit' | 'offset' | 'cursor' | 'search' | 'vector' | 'body' };
