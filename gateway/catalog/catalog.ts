import type { Logger } from 'pino';
import type postgres from 'postgres';
import { exclusively } from '../database/exclusive.ts';
import type { Listen } from '../database/listen.ts';
import type { CatalogDocument } from './document.ts';
import { createStatements, type Compiling, type Statements } from './statements.ts';

/** One version of the catalog, with the statements compiled under it. Replaced as a whole when the version moves. */
export type Catalog = { document: CatalogDocument; slugs: ReadonlySet<string>; statements: Statements };

/** The tables that each look reads anew; with `grant` it also grants what is served. */
export type Introspection = { schema: string; unprotected: 'skip' | 'serve'; grant: boolean };
export type CatalogOptions = Compiling & {
  /** Where the catalog comes from the tables; else it is what collection files, or another process, make it. */
  introspection: Introspection | undefined;
  /** Called after each look, also one that found the same version. */
  looked?: () => void;
};

export type CatalogKeeper = {
  readonly current: Catalog;
  /** Looks at the tables again. Calls while it looks share one further look. */
  refresh: () => Promise<void>;
  close: () => Promise<void>;
};

const NOTHING: CatalogDocument = { version: 0, schemaVersion: '', restrictingRoles: [], arrowNames: [], collections: [] };

/** What is announced there: the new version, or "ddl". */
export const CATALOG_CHANNEL = 'service_catalog';

/** Milliseconds until a look that failed is tried again. */
const RETRY = 1_000;

/**
 * Keeps the catalog current: after DDL, after a reconnect (what was missed meanwhile is not known), and on demand.
 * While the database is away the last version stays in use.
 */
export async function keepCatalog(owner: postgres.Sql, listen: Listen, options: CatalogOptions, log: Logger): Promise<CatalogKeeper> {
  let current: Catalog = { document: NOTHING, slugs: new Set(), statements: createStatements(options, []) };
  let looking: Promise<void> | undefined;
  let asked = 0;
  let retry: NodeJS.Timeout | undefined;
  const closing = new AbortController();
  // Listening first: what changes after the first look is then announced.
  const listener = await listen(payload => void notified(payload), () => { if (asked > 0) later(); });
  await refresh().catch(async (error: unknown) => {
    await listener.end();
    throw error;
  });

  return { get current() { return current; }, refresh, close };

  function refresh(): Promise<void> {
    asked += 1;
    return looking ??= lookUntilQuiet().finally(() => { looking = undefined; });
  }

  async function lookUntilQuiet(): Promise<void> {
    for (let answered = 0; answered !== asked;) {
      answered = asked;
      const isFirst = current.document === NOTHING; // which the start itself tells
      const found = await look(owner, options, current.document.version);
      // Policies are no part of the version, but decide how a statement must be run: all are compiled again.
      current = found ?? { ...current, statements: createStatements(options, current.document.restrictingRoles) };
      options.looked?.();
      if (found === undefined || isFirst) continue;
      log.info(`The tables were read again: version ${found.document.version}, ${found.slugs.size} collections.`);
    }
  }

  /** The payload is the version that a look made, perhaps our own that is not over yet, or "ddl". */
  async function notified(payload: string): Promise<void> {
    await looking?.catch(() => undefined);
    if (payload !== String(current.document.version)) later();
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

/** Undefined when the version is still the known one: the document of a large schema is megabytes. */
async function look(owner: postgres.Sql, options: CatalogOptions, known: number): Promise<Catalog | undefined> {
  const { introspection: tables } = options;
  const document = await exclusively(owner, async transaction => {
    if (tables) await transaction`select service.introspect(${tables.schema}, ${tables.unprotected})`;
    if (tables?.grant) await transaction`select service.grant_served()`;
    const [row] = await transaction<{ document: CatalogDocument }[]>`
      select service.catalog_document() as document from service.catalog where version <> ${known}`;
    return row?.document;
  });
  return document && {
    document,
    slugs: new Set(document.collections.map(({ slug }) => slug)),
    statements: createStatements(options, document.restrictingRoles),
  };
}
