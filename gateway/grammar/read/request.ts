import { parseHard } from '../hard.ts';
import { nameList } from '../names.ts';
import { splitQuery, type Query, type Reserved } from '../query.ts';
import { checkAggregate, parseSelect } from './aggregate.ts';
import { orderUnderCursor, parseAfter } from './cursor.ts';
import { checkDistinct, parseDistinct } from './distinct.ts';
import { parseConditions } from './filters.ts';
import { parseInclude } from './include.ts';
import { parseLogical } from './logical.ts';
import { parseOrderBy } from './order.ts';
import { limitBucket, parseWindow } from './paging.ts';
import { Parameters, type PathNames } from './parameters.ts';
import { parsePath } from './path.ts';
import { countPreference } from './preferences.ts';
import type { CheckedClause, ParsedRead, PathShape, ReadShape } from './shape.ts';
import { parseVector } from './vector.ts';
import { ApiError } from '../../error.ts';

/** `maxIncludeLimit`: of the rows that an include takes of one parent. */
export type Options = { defaultLimit: number; maxLimit: number; maxIncludeLimit: number; prefer?: string; names?: PathNames };
type Clause = Exclude<keyof ReadShape, 'op' | 'path' | 'checked'>;

/** Nearest neighbours are wanted by the handful. */
const vectorLimit = 10;

const narrowing = ['where', 'logical', 'deleted'] as const;
/**
 * The clauses that each kind of read takes from the query. Every other clause is checked all the same: its form here, its names by the
 * catalog.
 */
const clauses = {
  list: new Set<Clause>([
    ...narrowing, 'search', 'vector', 'fields', 'distinct', 'orderBy', 'include', 'limit', 'offset', 'after', 'count',
  ]),
  get: new Set<Clause>([...narrowing, 'search', 'fields', 'include']),
  count: new Set<Clause>([...narrowing, 'search', 'vector']),
  distinctCount: new Set<Clause>([...narrowing, 'search', 'vector', 'fields', 'distinct']),
  aggregate: new Set<Clause>([...narrowing, 'search', 'vector', 'select']),
  groupedAggregate: new Set<Clause>([...narrowing, 'search', 'vector', 'select', 'groupBy', 'orderBy', 'limit', 'offset']),
};
const checked: CheckedClause[] = ['orderBy', 'fields', 'distinct', 'include', 'vector', 'select', 'groupBy'];
const named: ReadonlySet<Clause> = new Set<Clause>(checked);
const hasNames = (clause: Clause): clause is CheckedClause => named.has(clause);

/**
 * Turns a read below `/data/` into its shape and values. Which collections, fields and relations exist is the
 * catalog's knowledge; everything else about the request is decided here.
 * @param segments the percent-decoded path below `/data/`: `['artist', '1', 'album']`
 * @param query the raw query string
 * @throws ApiError 404 NOT_FOUND for a path that names nothing, 400 with the code of the malformed parameter.
 */
export function parseRead(segments: string[], query: string, options: Options): ParsedRead {
  const parameters = new Parameters(options.names);
  return parseClauses(parsePath(segments, parameters), query, options, parameters);
}

/** The same of a shape that has its path already. */
export function parseClauses(shape: PathShape, query: string, options: Options, parameters: Parameters): ParsedRead {
  // The hot path is one row by its id, with nothing more to read.
  const parsed = { shape, values: parameters.values, sources: parameters.sources };
  if (shape.op === 'get' && query === '') return parsed;
  const split = splitQuery(query);
  addQuery(shape, split, options, parameters);
  return parseExplain(split.reserved) ? { ...parsed, explain: true } : parsed;
}

/** Walks the query in the order in which values are numbered. */
function addQuery(shape: PathShape, { reserved, filters }: Query, options: Options, parameters: Parameters): void {
  const distinct = parseDistinct(reserved);
  const groupBy = nameList(reserved.groupBy, 'groupBy');
  const taken = clauses[kindOf(shape.op, distinct, groupBy)];
  const put = <K extends Clause>(clause: K, value: PathShape[K] | undefined): void => {
    if (value === undefined) return;
    if (taken.has(clause)) shape[clause] = value;
    else if (hasNames(clause)) shape.checked = { ...shape.checked, [clause]: value };
  };
  // A clause that is only checked must leave no values behind.
  const numbering = (clause: Clause): Parameters => taken.has(clause) ? parameters : new Parameters();

  put('where', parseConditions(filters, reserved.where, parameters));
  put('logical', parseLogical(reserved, parameters));
  put('search', parseSearch(reserved, numbering('search')));
  const vector = parseVector(reserved, numbering('vector'));
  put('vector', vector);
  put('deleted', parseDeleted(reserved));
  parseHard(reserved);
  const fields = nameList(reserved.fields, 'fields');
  put('fields', fields);
  put('distinct', distinct);
  const select = parseSelect(reserved.select);
  put('select', select);
  put('groupBy', groupBy);
  put('include', parseInclude(reserved.include, numbering('include'), options.maxIncludeLimit));
  const count = countPreference(options.prefer ?? '');
  put('count', count === 'exact' ? undefined : count);

  if (shape.op === 'aggregate') checkAggregate(reserved, select, groupBy !== undefined);
  const cursor = parseAfter(reserved);
  const sent = parseOrderBy(reserved.orderBy);
  const orderBy = cursor ? orderUnderCursor(sent, cursor) : sent;
  put('orderBy', taken.has('orderBy') ? orderBy : sent);
  if (distinct) checkDistinct({ fields, vector, after: reserved.after });
  const window = parseWindow(reserved, defaultLimit(shape, options), options.maxLimit);
  put('limit', { param: numbering('limit').add(String(window.limit), { kind: 'limit' }), bucket: limitBucket(window.limit) });
  if (window.offset > 0) put('offset', numbering('offset').add(String(window.offset), { kind: 'offset' }));
  if (cursor) put('after', { param: numbering('after').add(cursor.token, { kind: 'cursor' }), keys: cursor.keys, nulls: cursor.nulls });
}

function kindOf(op: PathShape['op'], distinct: true | undefined, groupBy: string[] | undefined): keyof typeof clauses {
  if (op === 'count' && distinct) return 'distinctCount';
  return op === 'aggregate' && groupBy ? 'groupedAggregate' : op;
}

function defaultLimit({ op, vector }: ReadShape, options: Options): number {
  return op === 'list' && vector ? Math.min(vectorLimit, options.maxLimit) : options.defaultLimit;
}

/** The terms are SQL's to split. Nothing but white space is no search. */
function parseSearch({ searchString, searchExplain }: Reserved, parameters: Parameters): ReadShape['search'] {
  if (searchString === undefined || searchString.trim() === '') return undefined;
  const param = parameters.add(searchString, { kind: 'search' });
  return searchExplain === 'true' ? { param, explain: true } : { param };
}

/** @throws ApiError 400 INVALID_DELETED_PARAM */
function parseDeleted({ deleted }: Reserved): 'include' | 'only' | undefined {
  if (deleted === undefined || deleted === 'include' || deleted === 'only') return deleted;
  throw new ApiError(400, 'INVALID_DELETED_PARAM', '"deleted" is neither include nor only.', { deleted });
}

/** Whether the statement and its plan are asked for instead of its rows. @throws ApiError 400 INVALID_PARAM */
function parseExplain({ explain = 'false' }: Reserved): boolean {
  if (explain === 'true' || explain === 'false') return explain === 'true';
  throw new ApiError(400, 'INVALID_PARAM', '"explain" is neither true nor false.', { parameter: 'explain', value: explain });
}
