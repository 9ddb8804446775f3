import { compiledText } from '../database/statements.ts';
import type { Body } from '../database/lane.ts';
import { isDatabaseError, toApiError } from '../database/sqlstate.ts';
import { ApiError } from '../error.ts';
import type { Call, Reply } from '../http/route.ts';
import type { Caller } from '../identity/caller.ts';
import { requireCollections, segments } from './path.ts';
import type { DataOptions } from './routes.ts';

type Operation = 'create' | 'update' | 'delete';
type Write = { operation: Operation; path: string[]; fields: string[] | undefined; minimal: boolean };

/** $1 claims, $2 request, $3 the compiled read of the reply. */
const STATEMENT = 'select service.write($1, $2::jsonb, nullif($3, \'\')) as body';

/** A write, once through: caller, body, checks and SQL in the database, the row as this caller reads it. */
export async function write(call: Call, options: DataOptions): Promise<Reply> {
  requireCollections(options.database);
  const caller = await options.caller(call);
  refuseUnbuilt(call);
  const request = parse(call);
  if (request.operation !== 'delete') call.json();
  try {
    return reply(call, request, await run(call, request, caller, options));
  } catch (error) {
    throw refusal(error, request, options.verbose);
  }
}

/** What changes a write's meaning and is not built yet is refused: to ignore it would write what was not asked for. */
function refuseUnbuilt(call: Call): void {
  for (const header of ['idempotency-key', 'if-match']) {
    if (call.header(header) !== '') throw new ApiError(501, 'NOT_IMPLEMENTED', `The header ${header} is not available yet.`, { header });
  }
}

const OPERATIONS: Partial<Record<string, Operation>> = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

function parse(call: Call): Write {
  const path = segments(call.path);
  const operation = OPERATIONS[call.method];
  if (operation === undefined || path[0] === '_batch' || path.length !== (operation === 'create' ? 1 : 2)) throw unbuiltPath(path);
  return { operation, path, fields: queryFields(call.query, operation), minimal: prefersMinimal(call.header('prefer')) && operation !== 'delete' };
}

function unbuiltPath(path: string[]): ApiError {
  if (path.length === 1 && path[0] !== '_batch') return new ApiError(404, 'NOT_FOUND', 'There is nothing here.');
  return new ApiError(501, 'NOT_IMPLEMENTED', 'Bulk writes, batches and writes through related rows are not available yet.');
}

/** `fields` narrows the answer; `hard` must be readable; nothing else may stand in a write's query. */
function queryFields(query: string, operation: Operation): string[] | undefined {
  const parameters = new URLSearchParams(query);
  const hard = parameters.get('hard');
  if (hard !== null && operation === 'delete' && hard !== 'true' && hard !== 'false') throw new ApiError(400, 'INVALID_HARD_PARAM', 'hard must be true or false.', { hard });
  for (const name of parameters.keys()) {
    if (name === 'on_conflict' || name === 'onConflict') throw new ApiError(501, 'NOT_IMPLEMENTED', 'Upserts are not available yet.', { parameter: name });
    if (name !== 'fields' && name !== 'hard') throw new ApiError(400, 'INVALID_PARAM', `A write takes no parameter ${name}.`, { parameter: name });
  }
  const fields = parameters.get('fields');
  return fields ? fields.split(',') : undefined;
}

function prefersMinimal(prefer: string): boolean {
  return prefer.split(',').some(part => /^return\s*=\s*"?minimal"?$/i.test(part.trim()));
}

async function run(call: Call, request: Write, caller: Caller, { database }: DataOptions): Promise<Body> {
  const read = request.operation === 'delete' || request.minimal ? '' : await replyStatement(request, caller, database);
  const statement = { text: STATEMENT, prepare: true, enterFirst: false };
  const parameters = [caller.claims, requestText(call, request), read];
  try {
    return await database.lanes.write.run(statement, parameters);
  } catch (error) {
    // The database gave this one up for another's sake and rolled it back: once more, then the caller decides.
    if (!isDatabaseError(error) || !/^40(001|P01)$/.test(error.code)) throw error;
    return database.lanes.write.run(statement, parameters);
  }
}

/** The row's own read, from the statements that reads use; unknown fields are service.write's to refuse, by their own code. */
async function replyStatement({ path, fields }: Write, caller: Caller, { catalog }: DataOptions['database']): Promise<string> {
  const [slug = ''] = path;
  if (fields !== undefined) return '';
  return compiledText(catalog.current.statements, { op: 'get', path: [slug, 2] }, caller.roles);
}

/** The body goes on as it was sent, so numbers keep every digit; it was parsed, so it is one JSON object. */
function requestText(call: Call, { operation, path, fields, minimal }: Write): string {
  const head = JSON.stringify({ op: operation, path, ...(fields && { fields }), ...(minimal && { return: 'minimal' }) });
  const body = call.body.toString('utf8').trim();
  return operation === 'delete' ? head : `${head.slice(0, -1)},"body":${body === '' ? '{}' : body}}`;
}

function reply(call: Call, { operation, minimal }: Write, body: Body): Reply {
  const headers = { ...(call.method === 'PUT' && { Deprecation: 'true' }), ...(minimal && { 'Preference-Applied': 'return=minimal' }) };
  if (operation === 'delete' || minimal || body === undefined) return { status: 204, headers };
  return { status: operation === 'create' ? 201 : 200, headers, body };
}

/** 42501 is row security when the new row failed a policy's check, else a grant that is missing. */
function refusal(error: unknown, { path: [collection] }: Write, verbose: boolean): ApiError {
  if (isDatabaseError(error) && error.code === '42501' && error.routine === 'ExecWithCheckOptions') {
    return new ApiError(403, 'WRITE_DENIED', 'Row security does not let this caller write this row.', { collection }, { cause: error });
  }
  const refused = toApiError(error, verbose);
  if (!isDatabaseError(error) || !refused.code.startsWith('PG_')) return refused;
  return new ApiError(refused.status, refused.code, [error.message, error.detail].filter(Boolean).join('. '), refused.details as Record<string, unknown>, { cause: error });
}
