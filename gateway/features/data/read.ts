import { requireCollections } from '../../catalog/require-collections.ts';
import type { Compiled } from '../../catalog/compiled.ts';
import { retryOnStaleCatalog } from '../../catalog/retry-on-stale-catalog.ts';
import { runRead } from '../../catalog/run-read.ts';
import { appliedPreferences, prefersPrimary } from '../../grammar/read/preferences.ts';
import { parseHistory } from '../../grammar/read/history.ts';
import { parseRead } from '../../grammar/read/request.ts';
import type { ParsedRead } from '../../grammar/read/shape.ts';
import type { Call, Reply } from '../../http/route.ts';
import { newWork } from '../../http/work.ts';
import { rateLimitKey } from '../../limits/rate-limit-key.ts';
import { requireReading } from '../../catalog/key-scopes.ts';
import { explained } from './explained.ts';
import type { DataOptions } from './options.ts';
import { segments } from './path.ts';
import { notFound, readRefusal } from '../../catalog/read-refusal.ts';
import { startTiming } from './server-timing.ts';
import { withSuggestion } from '../../catalog/unknown-name.ts';
import { entityTags } from '../../grammar/entity-tags.ts';
import type { Client, Lane } from '../../database/lane.ts';

export function read(call: Call, options: DataOptions): Promise<Reply> {
  const { catalog, defaultLimit, maxLimit, maxIncludeLimit } = options;
  return answer(call, options, () => {
    const prefer = call.header('prefer');
    return parseRead(segments(call), call.query, { defaultLimit, maxLimit, maxIncludeLimit, prefer, names: catalog.current.document });
  });
}

/** Reads the history of a row. */
export function readHistory(call: Call, options: DataOptions): Promise<Reply> {
  const { slug = '', id = '' } = call.params;
  return answer(call, options, () => parseHistory([slug, id], call.query));
}

/** A read, once through: caller, request, statement, rows. */
async function answer(call: Call, options: DataOptions, parse: () => ParsedRead): Promise<Reply> {
  const { catalog, verbose } = options;
  requireCollections(catalog.current.document);
  const caller = await options.caller(call);
  await options.counted(call, caller);
  const timing = verbose || caller.roles.includes('admin') ? startTiming() : undefined;
  const prefer = call.header('prefer');
  const reads = options.reads[prefersPrimary(prefer) ? 'primary' : 'usual'];
  const request = parse();
  const work = call.work = newWork();
  work.shape = request.shape;
  timing?.end('parse');
  try {
    requireReading(caller, request.shape, catalog.current.document);
    if (request.explain) options.requireScope(caller, 'database:read');
    const client = { key: rateLimitKey(call, caller), signal: () => call.signal, isGone: () => call.gone, spent: work };
    return await retryOnStaleCatalog(catalog, async ({ statements }) => {
      const statement = await statements.find(request.shape, caller.roles, client.key);
      timing?.end('compile');
      if (request.explain) return { body: await explanation(statement, [...caller.claims, ...request.values], client, reads.scan) };
      const [body, tag] = await runRead(statement, caller.claims, request.values, reads, client);
      timing?.end('database');
      work.found = body;
      if (!body) throw notFound(request, options);
      const headers = { ...appliedPreferences(prefer, request.shape), ...timing?.header() };
      return tag ? tagged(call, body, tag, statement, headers) : { body, headers };
    });
  } catch (error) {
    const asked = { slug: request.shape.path[0], roles: caller.roles, document: catalog.current.document };
    throw await explained(withSuggestion(readRefusal(error, request, options), asked), request, call, caller, options);
  }
}

/** Answers 304 to a client that already has this version of the row, if the response depends on the row alone. */
function tagged(call: Call, body: Uint8Array, tag: Uint8Array, { revalidates }: Compiled, others: Record<string, string>): Reply {
  const headers = { ...others, ...tagHeaders(tag) };
  return revalidates && isCurrent(call.header('if-none-match'), headers.ETag) ? { status: 304, headers } : { body, headers };
}

/** A cache may keep the row for this client alone, and revalidates it each time. */
function tagHeaders(tag: Uint8Array): { ETag: string; 'Cache-Control': string } {
  return { ETag: `"${Buffer.from(tag).toString('latin1')}"`, 'Cache-Control': 'private, no-cache' };
}

/** Whether an If-None-Match header names this tag: a list, or `*` for any, compared weakly (RFC 9110 section 13.1.2). */
function isCurrent(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch !== '' && (entityTags(ifNoneMatch)?.includes(tag) ?? true);
}

/**
 * The statement of a read and its plan, run for real: by the caller, in the read-only session and through the gate of any
 * other read. Not prepared, so the plan is the one for these values.
 * @returns JSON: {statement, lane, parameters, plan}, where it may be coalesced with {coalescing: {alone, coalesced, statements}}, how many
 * went alone, and how many into how many statements, in this process. The parameters are the request's own, $1 to $5 the caller's claims.
 */
async function explanation(
  { text, lane, enterFirst, coalescing }: Compiled, parameters: string[], client: Client, scan: Lane,
): Promise<string> {
  const explain = { text: `explain (analyze, buffers, settings, format json) ${text}`, prepare: false, enterFirst };
  const [plan] = await scan.run(explain, parameters, client);
  const head = JSON.stringify({ statement: text, lane, parameters, coalescing: coalescing?.counts });
  return `${head.slice(0, -1)},"plan":${Buffer.from(plan ?? []).toString()}}`;
}
