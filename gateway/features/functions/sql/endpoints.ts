import type { Compiled } from '../../../catalog/compiled.ts';
import { relatedCollections, type CatalogDocument } from '../../../catalog/document.ts';
import type { ServedEndpoint } from '../../../catalog/endpoints.ts';
import { retryOnStaleCatalog } from '../../../catalog/retry-on-stale-catalog.ts';
import { coalescingFigures, readsInBoth, runRead } from '../../../catalog/run-read.ts';
import { withSuggestion } from '../../../catalog/unknown-name.ts';
import { findScope } from '../../../config/scopes.ts';
import type { Client } from '../../../database/lane.ts';
import { retryOnConflict } from '../../../database/retry-on-conflict.ts';
import type { ApiError } from '../../../error.ts';
import { appliedPreferences, prefersPrimary } from '../../../grammar/read/preferences.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { newWork } from '../../../http/work.ts';
import { scopesOf, type Caller } from '../../../identity/caller.ts';
import { requireOfKey } from '../../../identity/permissions.ts';
import { rateLimitKey } from '../../../limits/rate-limit-key.ts';
import type { Figure } from '../../../metrics/families.ts';
import type { Context } from '../../context.ts';
import { createArgumentReader } from './argument-reader.ts';
import { nameRefused } from './name-refused.ts';
import { callRefusal } from './refusal.ts';
import { parseCall, type ParsedCall } from './request.ts';

/** The SQL functions that are served. */
export type SqlEndpoints = {
  names: () => string[];
  /** How many are declared and not served. */
  skipped: () => number;
  find: (name: string) => ServedEndpoint | undefined;
  answer: (call: Call, asked: Asked) => Promise<Reply>;
  figures: () => Figure[];
};

/** `ending` aborts when the function has had its time. `notFound`: the error of a function that does not answer such a request. */
type Asked = { caller: Caller; name: string; ending: () => AbortController; notFound: (message?: string) => ApiError };

type Run = { endpoint: ServedEndpoint; caller: Caller; request: ParsedCall; isOfPrimary: boolean; client: Client };

/** `isTaken`: whether a file has the name, which then answers. */
export function openEndpoints({ config, database, permissions, isFirst, log }: Context, isTaken: (name: string) => boolean): SqlEndpoints {
  const { catalog, lanes } = database;
  const reads = readsInBoth(database, config.coalesce);
  const { defaultListLimit: defaultLimit, maxListLimit: maxLimit, maxIncludeLimit, production } = config;
  const unreadable = createArgumentReader(database);
  if (isFirst) nameRefused(catalog, { scopes: permissions.scopes, isTaken, log });
  return { names, skipped, find, answer, figures: () => coalescingFigures(Object.values(reads)) };

  /** One that asks for a scope which is not declared stays closed. */
  function find(name: string): ServedEndpoint | undefined {
    const found = isTaken(name) ? undefined : catalog.current.endpoints.served.get(name);
    return found?.scope === undefined || findScope(permissions.scopes, found.scope) !== undefined ? found : undefined;
  }

  function names(): string[] {
    return [...catalog.current.endpoints.served.keys()].filter(name => find(name) !== undefined);
  }

  function skipped(): number {
    const { served, refused } = catalog.current.endpoints;
    return refused.length + served.size - names().length;
  }

  async function answer(call: Call, { caller, name, ending, notFound }: Asked): Promise<Reply> {
    const prefer = call.header('prefer');
    let request: ParsedCall | undefined;
    try {
      return await retryOnStaleCatalog(catalog, async ({ document, statements }) => {
        const endpoint = find(name);
        if (endpoint === undefined || !takes(endpoint, call.method)) throw notFound();
        request = await parseCall(call, endpoint, { defaultLimit, maxLimit, maxIncludeLimit, prefer, names: document });
        requireReached(caller, request, document);
        const work = call.work = newWork();
        work.shape = request.shape;
        const client = { ...clientOf(call, caller, ending), spent: work };
        const statement = await statements.find(request.shape, caller.roles, client.key);
        const [body] = await run(statement, { endpoint, caller, request, isOfPrimary: prefersPrimary(prefer), client });
        work.found = body;
        return reply(endpoint, body, appliedPreferences(prefer, request.shape));
      });
    } catch (error) {
      if (request === undefined) throw error;
      const { shape, text } = request;
      const refused = await callRefusal(error, request, {
        catalog, verbose: !production, unreadable: () => unreadable(shape, caller, text, rateLimitKey(call, caller)()),
      });
      if (refused.code === 'FUNCTION_NOT_FOUND') throw notFound();
      throw withSuggestion(refused, { slug: shape.path[0], roles: caller.roles, document: catalog.current.document });
    }
  }

  /**
   * Reads of a function are coalesced where it costs what a view costs: PostgreSQL puts its query in place of the call, and no argument
   * changes that. A write is tried once more where the database gave it up for another.
   */
  function run(compiled: Compiled, { endpoint: { volatility, isExpanded }, caller: { claims }, request, isOfPrimary, client }: Run) {
    const { text, uses, enterFirst, before } = compiled;
    if (volatility !== 'volatile') {
      const { point, scan, coalescer } = reads[isOfPrimary ? 'primary' : 'usual'];
      const own = { point, scan, ...(isExpanded && coalescer && { coalescer }) };
      return runRead(compiled, claims, request.values, own, client);
    }
    const called = before === undefined ? {} : { before: { text: before, parameters: [...claims, ...request.values, request.text] } };
    const statement = { text, prepare: uses > 1, enterFirst, ...called };
    return retryOnConflict(() => lanes.write.run(statement, [...claims, ...request.values], client));
  }
}

function takes({ volatility }: ServedEndpoint, method: string): boolean {
  return method === 'POST' || (volatility !== 'volatile' && (method === 'GET' || method === 'HEAD'));
}

/** A read ends when its client leaves; whether a write was done must not depend on that. */
function clientOf(call: Call, caller: Caller, ending: () => AbortController): Client {
  const key = rateLimitKey(call, caller);
  if (call.method === 'POST') return { key, signal: () => ending().signal };
  return {
    key, isGone: () => call.gone,
    signal() {
      const controller = ending();
      call.watch(() => { controller.abort(); });
      return controller.signal;
    },
  };
}

/** A function decides about the rows that it returns; those that a query reaches from there are data. @throws ApiError 403. */
function requireReached(caller: Caller, { shape }: ParsedCall, document: CatalogDocument): void {
  if (scopesOf(caller) === undefined) return;
  for (const slug of relatedCollections(document, shape)) requireOfKey(caller, 'data:read', slug);
}

function reply({ returns: { kind } }: ServedEndpoint, body: Uint8Array | null | undefined, headers: Record<string, string> = {}): Reply {
  return kind === 'void' ? { status: 204 } : { body: body ?? 'null', headers };
}
