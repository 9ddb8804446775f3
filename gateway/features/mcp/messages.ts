import { isObject, parseExact } from '../../json/exact.ts';
import type { Call } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';

/** A JSON-RPC request; a notification has no id. */
export type Message = { id: Id | undefined; method: string; params: Record<string, unknown> };
type Id = string | number | { rawJSON: string };

/** A request of an agent, whatever its message says. */
export type Asking = { call: Call; agent: Caller };

/** A refusal of the protocol. `status`: of the answer to a request alone, in the stateless era. */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, { status = 400, data }: { status?: number; data?: object } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/** A tool, or a collection that it looks into, is not among the scopes of the agent. */
export class LacksScopes extends RpcError {
  readonly scopes: readonly string[];

  constructor(scopes: readonly string[]) {
    super(-32602, `The agent has not been given ${scopes.join(' and ')}.`, { status: 403 });
    this.scopes = scopes;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws RpcError -32700; ApiError 415 UNSUPPORTED_MEDIA_TYPE. */
export function readBody(call: Call): unknown {
  const bytes = call.jsonBytes();
  try {
    return parseExact(utf8.decode(bytes));
  } catch {
    throw new RpcError(-32700, 'The body is not JSON.');
  }
}

/** An id of null is none. @throws RpcError -32600 */
export function readMessage(body: unknown): Message {
  if (!isObject(body) || typeof body['method'] !== 'string') throw new RpcError(-32600, 'A message is an object with a method.');
  const { id = null, method, params = {} } = body;
  if (id !== null && !isId(id)) throw new RpcError(-32600, 'An id is a text or a number.');
  if (!isObject(params)) throw new RpcError(-32600, 'params is an object.');
  return { id: id ?? undefined, method, params };
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number' || JSON.isRawJSON(id);
}

/** @param result JSON */
export function resultText(id: Id, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorText({ code, message, data }: RpcError, id: Message['id']): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message, data } });
}
