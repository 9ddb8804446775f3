import type { Logger } from 'pino';
import type { CatalogDocument } from '../../catalog/document.ts';
import { ApiError } from '../../error.ts';
import { shown } from '../../http/envelope.ts';
import { innerCall } from '../../http/inner-call.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { didYouMean } from '../../spelling.ts';
import { holds, reachedBy } from './collections.ts';
import { LacksScopes, RpcError, type Asking } from './messages.ts';
import { LIST_COLLECTIONS, TOOLS, type Tool } from './tools.ts';

/** Calls a tool. @returns the JSON of the result. @throws RpcError; ApiError 429 RATE_LIMITED. */
export type CallTool = (name: string, given: Record<string, unknown>, asking: Asking) => Promise<string>;

export type ToolCallsOptions = {
  /** A request of data, as REST answers it. */
  answer: (call: Call, caller: Caller) => Reply | Promise<Reply>;
  document: () => CatalogDocument;
  /** The result of list_collections, as JSON. */
  collections: (agent: Caller) => string;
  log: Logger;
};

const byName = new Map(TOOLS.map(tool => [tool.name, tool]));
/** Refusals that name what is not there: an agent is told what is. */
const UNKNOWN_NAMES = new Set([
  'UNKNOWN_FILTER_FIELD', 'UNKNOWN_FIELD', 'UNKNOWN_ORDER_BY_FIELD', 'UNKNOWN_AGGREGATE_FIELD', 'VALIDATION_UNKNOWN_FIELDS',
]);

export function createToolCalls({ answer, document, collections, log }: ToolCallsOptions): CallTool {
  return async (name, given, { call, agent }) => {
    const tool = byName.get(name);
    if (tool === undefined && name !== LIST_COLLECTIONS.name) throw unknownTool(name);
    const { scope } = tool ?? LIST_COLLECTIONS;
    if (!holds(agent, scope)) throw new LacksScopes([scope]);
    note(call, agent, name);
    if (!(tool ?? LIST_COLLECTIONS).hints.readOnlyHint) await call.hold();
    try {
      return resultOf(tool === undefined ? collections(agent) : await ask(tool, given, { call, agent }));
    } catch (error) {
      return failure(error, { tool, given, agent, requestId: call.requestId });
    }
  };

  async function ask(tool: Tool, given: Record<string, unknown>, { call, agent }: Asking): Promise<string> {
    const collection = collectionOf(tool, given, agent);
    const inner = innerCall(tool.request(given, collection, document()), call);
    try {
      const { body = '{}' } = await answer(inner, agent);
      const text = typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString();
      return tool.shown?.(text, given, collection) ?? text;
    } finally {
      call.work = inner.work;
      Object.assign(call.answerHeaders, inner.answerHeaders); // how much of a limit is left
    }
  }

  /** The collection, one that is served: a path of REST is none. @throws ApiError 400 INVALID_INPUT, 404 NOT_FOUND. */
  function collectionOf({ arguments: known }: Tool, given: Record<string, unknown>, agent: Caller): string {
    const { collection, ...more } = given;
    if (typeof collection !== 'string') throw new ApiError(400, 'INVALID_INPUT', '"collection" must be the name of a collection.');
    const unknown = Object.keys(more).find(name => !Object.hasOwn(known, name));
    if (unknown !== undefined) {
      const hint = didYouMean([unknown], Object.keys(known));
      throw new ApiError(400, 'INVALID_INPUT', `This tool has no argument ${JSON.stringify(unknown)}.${hint}`);
    }
    if (document().collections.some(({ slug }) => slug === collection)) return collection;
    const slugs = reachedBy(document(), agent, 'data:read').map(({ slug }) => slug);
    throw new ApiError(404, 'NOT_FOUND', `There is no such collection.${didYouMean([collection], slugs)} list_collections has them.`);
  }

  /** The tool says what REST refuses, its code first. */
  function failure(error: unknown, { tool, given, agent, requestId }: {
    tool: Tool | undefined; given: Record<string, unknown>; agent: Caller; requestId: string;
  }): string {
    const { status, code, message, details } = shown(error);
    if (status === 429) throw error;
    const { requiredScope, requiredScopes = [requiredScope] } = details ?? {};
    if (status === 403 && requiredScope !== undefined) throw new LacksScopes(requiredScopes as string[]);
    if (status >= 500) log.error({ err: error, requestId }, 'the call of a tool failed');
    const known = UNKNOWN_NAMES.has(code) && tool !== undefined ? fieldsText(tool, given, agent) : '';
    return JSON.stringify({ content: [{ type: 'text', text: `${code}: ${message}${known}` }], isError: true });
  }

  function fieldsText({ scope }: Tool, { collection }: Record<string, unknown>, agent: Caller): string {
    const found = reachedBy(document(), agent, scope).find(({ slug }) => slug === collection);
    return found === undefined ? '' : ` ${found.slug} has: ${found.fields.map(({ name }) => name).join(', ')}.`;
  }
}

function unknownTool(name: string): RpcError {
  const hint = didYouMean([name], [LIST_COLLECTIONS, ...TOOLS].map(tool => tool.name));
  return new RpcError(-32602, `There is no tool ${JSON.stringify(name.slice(0, 100))}.${hint}`, { status: 200 });
}

/** The content twice: as JSON, and as text for those that read no JSON. Compact, with all digits of its numbers. */
function resultOf(content: string): string {
  return `{"content":[{"type":"text","text":${JSON.stringify(content)}}],"structuredContent":${content}}`;
}

/** For the log: who called what, and no argument. A batch names each tool. */
function note(call: Call, { uid, client, key }: Caller, name: string): void {
  const tool = call.noted?.['tool'] === undefined ? name : `${call.noted['tool']}, ${name}`;
  call.noted = { uid, client: (client ?? key)?.id ?? '', tool };
}
