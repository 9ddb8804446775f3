import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { exclusively } from '../database/exclusive.ts';
import { withDeadline } from '../database/with-deadline.ts';
import { noopListen, type Listen } from '../database/listen.ts';
import type { CatalogDocument } from './document.ts';
import { coalesced } from './coalesced.ts';
import { NO_ENDPOINTS, readEndpoints, type Endpoints } from './endpoints.ts';
import { createStatements, type CacheCounts, type Compiling, type Statements } from './statements.ts';

/** One version of the catalog, with the statements compiled under it. Replaced as a whole when the version moves. */
export type Catalog = { document: CatalogDocument; slugs: ReadonlySet<string>; endpoints: Endpoints; statements: Statements };

/** The tables that each look reads anew; with `grant` it also grants what is served. */
export type Introspection = { schema: string; unprotected: 'skip' | 'serve'; grant: boolean };
export type CatalogOptions = Compiling & {
  /** Where the catalog comes from the tables; else it is what collection files, or another process, make it. */
  introspection: Introspection | undefined;
  /** Passes on what was heard, once it has been looked at, to processes that hear of it from here alone. */
  passOn?: (payload: string) => void;
};

/** A table or view that is not served. Without a remedy: it could not be looked at. */
export type Skipped = { slug: string; reason: string; remedy: string | null };

export type CatalogKeeper = {
  readonly current: Catalog;
  /** As the last look at the tables found them. */
  readonly skipped: readonly Skipped[];
  /** The counts of all versions together. */
  readonly cacheCounts: Readonly<CacheCounts>;
  /** Looks at the tables again, and compiles everything anew. Calls while it looks share one further look. */
  refresh: () => Promise<void>;
  /** Looks whether the tables have changed without a word; if not, nothing changes. */
  lookAgain: () => Promise<void>;
  /** Resolves when all that was announced before the call has been looked at. Rejects while nothing can be heard. */
  catchUp: () => Promise<void>;
  /** Called in order after each look that found a change of the catalog or of policies, or was notified of one. */
  onLook: (listener: () => void | Promise<void>) => void;
  close: () => Promise<void>;
};

const NOTHING: CatalogDocument = { version: 0, schemaVersion: '', restrictingRoles: [], arrowNames: [], partNames: [], collections: [] };

/** Payload: the new version, "ddl", or an echo. */
export const CATALOG_CHANNEL = 'service_catalog';
export const DDL = 'ddl';
/** Notifications arrive in the order of their commits, so a process that receives its own echo has received everything before it. */
const ECHO = 'echo ';

/** Milliseconds until a look that failed is tried again. */
const RETRY = 1_000;
/** Milliseconds until an echo is given up. */
const SILENCE = 2_000;

/**
 * Keeps the catalog current: after DDL, after a reconnect (what was missed meanwhile is not known), and on demand.
 * While the database is away the last version stays in use.
 */
export async function keepCatalog(owner: postgres.Sql, listen: Listen, given: CatalogOptions, log: Logger): Promise<CatalogKeeper> {
  const cacheCounts = { hits: 0, misses: 0 };
  const options = { ...given, counts: cacheCounts };
  let current: Catalog = { document: NOTHING, slugs: new Set(), endpoints: NO_ENDPOINTS, statements: createStatements(options, NOTHING) };
  let looking: Promise<void> | undefined;
  /** Whether something was announced since the last look. */
  let isAnnounced = false;
  let retry: NodeJS.Timeout | undefined;
  const closing = new AbortController();
  const echoes = new Map<string, () => void>();
  const listeners: (() => void | Promise<void>)[] = [];
  let skipped: readonly Skipped[] = [];
  /** Lines about tables that are not served, each of which is logged once. */
  const named = new Set<string>();
  const look = coalesced(lookOnce);
  const catchUp = coalesced(hearEcho);
  // Listening first: what changes after the first look is then announced.
  const listener = await listen(CATALOG_CHANNEL, {
    heard: payload => void notified(payload),
    resumed: () => { if (looking !== undefined) later(); },
  });
  await refresh().catch(async (error: unknown) => {
    await listener.end();
    throw error;
  });

  return {
    get current() { return current; }, get skipped() { return skipped; }, cacheCounts,
    refresh, lookAgain, catchUp, onLook: listener => { listeners.push(listener); }, close,
  };

  function refresh(): Promise<void> {
    isAnnounced = true;
    return lookAgain();
  }

  function lookAgain(): Promise<void> {
    return looking = look();
  }

  async function lookOnce(): Promise<void> {
    const isFirst = current.document === NOTHING; // which the start itself tells
    const mayDiffer = isAnnounced;
    isAnnounced = false;
    const seen = await newer(owner, options, current.document.version);
    const { found, endpoints } = seen;
    skipped = seen.skipped;
    skipped.forEach(nameOnce);
    if (found !== undefined) current = { ...found, endpoints };
    // Functions and policies are no part of the version, and policies decide how a statement must be run: all are compiled again.
    else if (mayDiffer) current = { ...current, endpoints, statements: createStatements(options, current.document) };
    if (found !== undefined || mayDiffer) for (const listener of listeners) await listener();
    options.passOn?.(DDL);
    if (found === undefined || isFirst) return;
    log.info(`The tables were reloaded: version ${found.document.version}, ${found.slugs.size} collections.`);
  }

  function nameOnce({ slug, reason, remedy }: Skipped): void {
    const line = `${options.introspection?.schema ?? ''}.${slug} is not served: ${reason}`;
    if (named.has(line)) return;
    named.add(line);
    log[remedy === null ? 'warn' : 'info'](line);
  }

  /** A version may be what our own look has made, which is not over yet. */
  async function notified(payload: string): Promise<void> {
    await looked();
    if (payload.startsWith(ECHO)) void echoed(payload);
    else if (payload !== String(current.document.version)) later();
  }

  /** Every notification before the echo has begun a look by now. */
  async function echoed(payload: string): Promise<void> {
    await looked();
    options.passOn?.(payload);
    echoes.get(payload)?.();
  }

  async function looked(): Promise<void> {
    await looking?.catch(() => undefined);
  }

  async function hearEcho(): Promise<void> {
    if (listen === noopListen) return;
    const echo = ECHO + randomUUID();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    echoes.set(echo, () => resolve(undefined));
    try {
      await withDeadline(Promise.all([owner.notify(CATALOG_CHANNEL, echo), promise]), SILENCE);
    } finally {
      echoes.delete(echo);
    }
  }

  function later(): void {
    clearTimeout(retry);
    refresh().catch((error: unknown) => {
      log.warn({ err: error }, 'the catalog could not be reloaded; the last version stays in use');
      if (!closing.signal.aborted) retry = setTimeout(later, RETRY).unref();
    });
  }

  async function close(): Promise<void> {
    closing.abort();
    clearTimeout(retry);
    await listener.end();
  }
}

/** Found is undefined when the version is still the known one: the document of a large schema is megabytes. */
async function newer(
  owner: postgres.Sql, options: CatalogOptions, known: number,
): Promise<{ found: Omit<Catalog, 'endpoints'> | undefined; endpoints: Endpoints; skipped: readonly Skipped[] }> {
  const { introspection: tables } = options;
  const { document, endpoints, skipped } = await exclusively(owner, async transaction => {
    const skipped = tables
      ? await transaction<Skipped[]>`select * from service_private.introspect(${tables.schema}, ${tables.unprotected}) order by slug`
      : [];
    if (tables?.grant) await transaction`select service_private.grant_served()`;
    const [row] = await transaction<{ document: CatalogDocument }[]>`
      select service_private.catalog_document() as document from service.catalog where version <> ${known}`;
    return { document: row?.document, endpoints: await readEndpoints(transaction), skipped };
  });
  const found = document && {
    document,
    slugs: new Set(document.collections.map(({ slug }) => slug)),
    statements: createStatements(options, document),
  };
  return { found, endpoints, skipped };
}
