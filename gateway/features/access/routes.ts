import type { Logger } from 'pino';
import { ApiError } from '../../error.ts';
import { LONGEST_URL } from '../../http/dispatch.ts';
import { optional, readBody, textOf, type Field } from '../../http/fields.ts';
import { privateText } from '../../http/private-reply.ts';
import type { Call, Method, Reply, Route } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { isObject, parseExact, plainText } from '../../json/exact.ts';
import { isStorable } from '../../storable.ts';
import type { RequireScope } from '../context.ts';
import { jsonText } from '../data-query.ts';
import type { Explain } from './explain.ts';
import { asField, type As, type CallerAs } from './tried-callers.ts';
import type { TryRequest } from './try.ts';

export type AccessOptions = {
  requireScope: RequireScope;
  callerAs: CallerAs;
  tryRequest: TryRequest;
  explain: Explain;
  basePath: string;
  log: Logger;
};

const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
/** Those that requests of data read. Any other would be ignored, whatever its sender believes. */
const HEADERS = ['prefer', 'if-match', 'if-none-match', 'idempotency-key'];
const OPERATIONS = ['read', 'create', 'update', 'delete'];

const anything: Field<unknown> = { expected: 'is any JSON', read: given => given };
const operation: Field<string> = {
  expected: `must be one of ${OPERATIONS.join(', ')}`,
  read: given => textOf(given, 10, text => OPERATIONS.includes(text)),
};
const slug: Field<string> = { expected: 'must be the name of a collection', read: given => textOf(given, 255, text => text !== '') };
const rowId: Field<string> = {
  expected: 'must be a text or a number',
  read(given) {
    const text = typeof given === 'boolean' ? undefined : plainText(given);
    return text !== undefined && isStorable(text) ? text : undefined;
  },
};
const proposal: Field<object> = { expected: 'must be an object', read: given => isObject(given) ? given : undefined };
const method: Field<Method> = {
  expected: `must be one of ${METHODS.join(', ')}`,
  read: given => METHODS.find(name => name === given),
};
const headerList: Field<Record<string, string>> = {
  expected: `must be an object of texts with the names ${HEADERS.join(', ')}`,
  read(given) {
    if (!isObject(given)) return undefined;
    const read = Object.entries(given).map(([name, value]) => [name.toLowerCase(), textOf(value, 8192, isPlain)] as const);
    const isWrong = read.some(([name, value]) => value === undefined || !HEADERS.includes(name));
    return isWrong ? undefined : Object.fromEntries(read) as Record<string, string>;
  },
};

function isPlain(text: string): boolean {
  return !/[^\t\x20-\x7e]/.test(text);
}

/** Why a caller may, or may not: for those who look after others, without their credentials. */
export function accessRoutes({ requireScope, callerAs, tryRequest, explain, basePath, log }: AccessOptions): Route[] {
  const admit = (call: Call) => requireScope(call, 'database:read');
  const base = `${basePath}/data/`;
  const path: Field<string> = {
    expected: `must be a path of the data API, ${base}…, with its query`,
    read: given => textOf(given, LONGEST_URL - 1, text => text.startsWith(base) && text.length > base.length && !text.includes('#')),
  };
  return [
    { method: 'POST', path: '/admin/try', admit, changesNothing: true, handle: tryAs },
    { method: 'POST', path: '/admin/why', admit, changesNothing: true, handle: why },
  ];

  async function tryAs(call: Call): Promise<Reply> {
    const asker = await admit(call);
    const given = readKnown(call, { as: asField, method, path, body: optional(anything), headers: optional(headerList) });
    const [place = '', ...query] = encoded(given.path.slice(basePath.length)).split('?');
    const request = {
      method: given.method, path: place, query: query.join('?'), headers: given.headers ?? {},
      body: given.body === undefined ? '' : jsonText(given.body),
    };
    const tried = await callerAs(given.as, asker);
    const { status, text } = await tryRequest(request, tried, { call, asker });
    log.info({ ...entryOf(call, asker, given.as), audit: 'try', method: request.method, status }, 'a request was tried as another caller');
    return privateText(text);
  }

  async function why(call: Call): Promise<Reply> {
    const asker = await admit(call);
    const { as, collection, id, operation: op, body } = readKnown(call,
      { as: asField, collection: slug, id: optional(rowId), operation, body: optional(proposal) });
    if (op !== 'create' && id === undefined) throw new ApiError(400, 'INVALID_INPUT', 'id: is required.');
    const { caller } = await callerAs(as, asker);
    const question = { collection, id: id ?? null, operation: op, proposed: body === undefined ? null : jsonText(body) };
    const text = await explain(question, { caller, asker: asker.uid, signal: call.signal });
    log.info({ ...entryOf(call, asker, as), audit: 'why', operation: op }, 'the access of another caller was explained');
    return privateText(text);
  }
}

/** Unlike other routes it takes no name that it does not know: a request that is tried must be the one that was meant. */
function readKnown<F extends Parameters<typeof readBody>[1]>(call: Call, fields: F) {
  call.json();
  const given = parseExact(call.body.toString().trim() || '{}') as Record<string, unknown>;
  const unknown = Object.keys(given).filter(name => !Object.hasOwn(fields, name));
  if (unknown.length === 0) return readBody<F>(given, fields);
  throw new ApiError(400, 'INVALID_INPUT', `Unknown: ${unknown.slice(0, 10).map(name => JSON.stringify(name)).join(', ')}.`);
}

/** As a client would send it. */
function encoded(path: string): string {
  return path.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
}

function entryOf({ requestId }: Call, { uid, kind, key }: Caller, as: As): object {
  return { requestId, actor: { uid, kind, ...(key && { key: key.id }) }, as: as === 'visitor' ? { visitor: true } : as };
}
