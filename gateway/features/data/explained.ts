import { rowAsked } from '../../catalog/read-refusal.ts';
import { ApiError } from '../../error.ts';
import type { ParsedRead } from '../../grammar/read/shape.ts';
import type { ParsedWrite } from '../../grammar/write/shape.ts';
import type { Call } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { single } from './one-of-many.ts';
import type { DataOptions } from './options.ts';
import type { Question } from './why.ts';

/** These are decided before a row is looked up, and say nothing of one. */
const OF_FIELDS = ['FIELD_NOT_READABLE', 'FIELD_NOT_WRITABLE'];
/** Statuses of requests that are understood and not done. */
const REFUSED = [400, 403, 404];

/** Notes for the log what a refused request asked for, as `rowgate why` asks it again. The refusal gets `details.why`. */
export async function explained(
  refused: ApiError, asked: ParsedRead | ParsedWrite, call: Call, caller: Caller, options: DataOptions,
): Promise<ApiError> {
  const question = 'of' in asked ? questionOfWrite(asked, refused) : questionOfRead(asked, options);
  const isServed = options.catalog.current.document.collections.some(({ slug }) => slug === question.collection);
  if (isServed && REFUSED.includes(refused.status)) call.noted = { ...call.noted, ...noteOf(refused, question, caller) };
  const { status, code, message, details, cause } = refused;
  const narrowed = options.why && narrow(refused, question);
  const why = narrowed && await options.why?.(narrowed, refused, caller);
  return why === undefined ? refused : new ApiError(status, code, message, { ...details, why }, { cause });
}

function questionOfRead(asked: ParsedRead, { catalog }: DataOptions): Question {
  const { collection, id } = rowAsked(asked, catalog.current.document);
  return { operation: 'read', collection: String(collection), ...(id !== undefined && { id }) };
}

/** One of many: the one that was refused, where that is known. */
function questionOfWrite(asked: ParsedWrite, { details }: ApiError): Question {
  const index = details?.['index'];
  const { shape: { op, collection }, path, of, text } = typeof index === 'number' ? single(asked, index) : asked;
  const id = of === 'row' && op !== 'create' ? path.at(-1) : undefined;
  return { operation: op, collection, ...(id !== undefined && { id }), ...(of === 'row' && { text }) };
}

/** The id of a path: one that the body names is a value of it. */
function noteOf({ code, details }: ApiError, { operation, collection, id }: Question, { uid, roles }: Caller): Record<string, string> {
  const isOfBody = typeof details?.['index'] === 'number';
  return { code, operation, collection, ...(id !== undefined && !isOfBody && { id }), uid, roles: roles.join() };
}

/** The question about a refusal, if there is one: neither about rows of other operations of a batch, nor about values that a path adds. */
function narrow({ status, code, details }: ApiError, question: Question): Question | undefined {
  const { operation, id, text } = question;
  if (OF_FIELDS.includes(code)) return ofFields(question, details);
  const isOfRow = id !== undefined || (operation === 'create' && text !== undefined);
  if (!isOfRow || details?.['path'] !== undefined && operation === 'create' || text?.includes('"$ref"')) return undefined;
  return status === 403 || status === 404 || code.startsWith('TENANT_') ? question : undefined;
}

function ofFields({ operation, collection }: Question, details: ApiError['details']): Question {
  const { collection: slug = collection, fields = [] } = details as { collection?: string; fields?: string[] };
  const text = JSON.stringify({ body: Object.fromEntries(fields.map(name => [name, null])) });
  return { operation: operation === 'read' ? 'read' : 'update', collection: slug, text };
}
