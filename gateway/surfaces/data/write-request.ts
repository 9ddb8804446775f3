import type { WriteShape } from '../../catalog/statements.ts';
import { ApiError } from '../../error.ts';
import type { Call } from '../../http/route.ts';
import { segments } from './path.ts';

type Operation = WriteShape['op'];
/** A write as it was asked for; `body` is parsed for its names only. */
export type Write = { operation: Operation; path: string[]; body: Record<string, unknown>; fields: string[] | undefined; minimal: boolean; hard: boolean };

const OPERATIONS: Partial<Record<string, Operation>> = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

/** @throws ApiError 400 BAD_REQUEST, INVALID_HARD_PARAM, INVALID_PARAM; 415; 501 NOT_IMPLEMENTED. */
export function parseWrite(call: Call): Write {
  refuseUnbuilt(call);
  const path = segments(call.path);
  const operation = OPERATIONS[call.method];
  if (operation === undefined || path[0] === '_batch' || path.length !== (operation === 'create' ? 1 : 2)) throw unbuiltPath(path);
  const { fields, hard } = queryOf(call.query, operation);
  return { operation, path, body: operation === 'delete' ? {} : call.json(), fields, hard, minimal: operation !== 'delete' && prefersMinimal(call.header('prefer')) };
}

/** What changes a write's meaning and is not built yet is refused: to ignore it would write what was not asked for. */
function refuseUnbuilt(call: Call): void {
  for (const header of ['idempotency-key', 'if-match']) {
    if (call.header(header) !== '') throw new ApiError(501, 'NOT_IMPLEMENTED', `The header ${header} is not available yet.`, { header });
  }
}

function unbuiltPath(path: string[]): ApiError {
  if (path.length === 1 && path[0] !== '_batch') return new ApiError(404, 'NOT_FOUND', 'There is nothing here.');
  return new ApiError(501, 'NOT_IMPLEMENTED', 'Bulk writes, batches and writes through related rows are not available yet.');
}

/** `fields` narrows the answer, `hard` belongs to a delete; nothing else may stand in a write's query. */
function queryOf(query: string, operation: Operation): Pick<Write, 'fields' | 'hard'> {
  if (query === '') return { fields: undefined, hard: false };
  const parameters = new URLSearchParams(query);
  for (const [name, value] of parameters) {
    if (name === 'on_conflict' || name === 'onConflict') throw new ApiError(501, 'NOT_IMPLEMENTED', 'Upserts are not available yet.', { parameter: name });
    if (name !== (operation === 'delete' ? 'hard' : 'fields')) throw new ApiError(400, 'INVALID_PARAM', `This write takes no parameter ${name}.`, { parameter: name });
    if (name === 'hard' && value !== 'true' && value !== 'false') throw new ApiError(400, 'INVALID_HARD_PARAM', 'hard must be true or false.', { hard: value });
  }
  const fields = parameters.get('fields')?.split(',').map(field => field.trim());
  return { fields: fields?.every(field => field === '') ? undefined : fields, hard: parameters.get('hard') === 'true' };
}

function prefersMinimal(prefer: string): boolean {
  return prefer !== '' && prefer.split(',').some(part => /^return\s*=\s*"?minimal"?$/i.test(part.trim()));
}

/** Sorted, so that the order of a body's names does not make another shape. */
export function shapeOf({ operation, path: [collection = ''], body, fields, minimal, hard }: Write): WriteShape {
  if (operation === 'delete') return { op: operation, collection, ...(hard && { hard }) };
  return { op: operation, collection, body: Object.keys(body).sort(), ...(minimal && { return: 'minimal' }), ...(fields && { fields }) };
}

/** The request of service.write. The body goes on as it was sent, so numbers keep every digit; it was parsed, so it is one JSON object. */
export function requestText(sent: Buffer, { operation, path, fields, minimal, hard }: Write): string {
  const head = JSON.stringify({ op: operation, path, ...(fields && { fields }), ...(minimal && { return: 'minimal' }), ...(hard && { hard }) });
  if (operation === 'delete') return head;
  const body = sent.toString('utf8').trim();
  return `${head.slice(0, -1)},"body":${body === '' ? '{}' : body}}`;
}
