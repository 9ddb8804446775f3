import type { Database } from '../database/database.ts';
import type { Body } from '../database/lane.ts';
import { databaseDetails, isDatabaseError, toApiError, unreadableParameter } from '../database/sqlstate.ts';
import { ApiError } from '../error.ts';
import { parseRequest } from '../grammar/request.ts';
import type { Parsed, ValueSource } from '../grammar/shape.ts';
import type { Call, Reply, Route } from '../http/route.ts';
import type { Caller } from '../identity/caller.ts';
import { requireCollections, segments } from './path.ts';
import { write } from './write.ts';

export type DataOptions = {
  database: Database;
  caller: (call: Call) => Caller | Promise<Caller>;
  defaultLimit: number;
  maxLimit: number;
  /** Whether refusals may carry the database's own words. */
  verbose: boolean;
};

export function dataRoutes(options: DataOptions): Route[] {
  return [
    { method: 'GET', path: '/data/*', handle: call => read(call, options) },
    ...(['POST', 'PATCH', 'PUT', 'DELETE'] as const).map(method => ({ method, path: '/data/*', handle: (call: Call) => write(call, options) })),
  ];
}

/** A read, once through: caller, request, statement, rows. */
async function read(call: Call, options: DataOptions): Promise<Reply> {
  const { database, verbose } = options;
  requireCollections(database);
  const caller = await options.caller(call);
  const request = parseRequest(segments(call.path), call.query, { defaultLimit: options.defaultLimit, maxLimit: options.maxLimit, prefer: call.header('prefer') });
  try {
    const body = await run(request, caller, call, database);
    if (body === undefined) throw notFound(request, verbose);
    return { body };
  } catch (error) {
    throw refusal(error, request, database, verbose);
  }
}

async function run({ shape, values }: Parsed, caller: Caller, call: Call, { catalog, lanes }: Database): Promise<Body> {
  const statement = await catalog.current.statements.find(shape, caller.roles);
  // Prepared from the second use on: a shape that is seen once would only fill the server's memory.
  return lanes[statement.lane].run({ text: statement.text, prepare: statement.uses > 1, enterFirst: statement.enterFirst }, [caller.claims, ...values], () => call.signal);
}

function refusal(error: unknown, request: Parsed, database: Database, verbose: boolean): ApiError {
  if (isDatabaseError(error) && /^22/.test(error.code)) return unreadableValue(error, request, verbose);
  const refused = toApiError(error, verbose);
  if (refused.code === 'CALLBACK_REJECTED') return new ApiError(refused.status, refused.code, refused.message, { stage: 'afterRead', ...refused.details }, { cause: error });
  // The tables changed without a notification: look again, so that the next request is right.
  if (refused.code === 'SCHEMA_DRIFT') database.catalog.refresh().catch(() => undefined);
  return refused;
}

/** An id that cannot be of the key's type names no row; a filter value that cannot be of its column's type is refused by name. */
function unreadableValue(error: Parameters<typeof databaseDetails>[0], request: Parsed, verbose: boolean): ApiError {
  const parameter = unreadableParameter(error);
  const source: ValueSource | undefined = parameter === undefined ? undefined : request.sources[parameter - 2];
  // The parts of a composite id are read inside the statement: no parameter is named then.
  const part = source === undefined && request.shape.path.length > 1 && /^22(P02|003|007|008)$/.test(error.code);
  if (source?.kind === 'id' || part) return notFound(request, verbose);
  if (source?.kind === 'vector' || (source === undefined && request.shape.vector !== undefined)) {
    return new ApiError(400, 'INVALID_VECTOR', 'The vector cannot be compared with this property: it has another length, or is none.', databaseDetails(error, verbose), { cause: error });
  }
  const field = source?.kind === 'filter' ? { field: source.field } : {};
  return new ApiError(400, 'INVALID_FILTER_VALUE', 'A filter value cannot be read as its field\'s type.', { ...field, ...databaseDetails(error, verbose) }, { cause: error });
}

function notFound({ shape, values }: Parsed, verbose: boolean): ApiError {
  const id = shape.path.length % 2 === 0 ? shape.path.at(-1) : undefined;
  const details = verbose && typeof id === 'number' ? { collection: shape.path.at(-2), id: values[id - 2] } : undefined;
  return new ApiError(404, 'NOT_FOUND', 'No such row, or row security hides it from this caller.', details);
}
