import postgres from 'postgres';
import type { Logger } from 'pino';
import type { CatalogDocument } from './catalog-document.ts';
import { createStatements, type Statements } from './statements.ts';

/** One version of the catalog, with the statements compiled under it. Replaced as a whole when the version moves. */
export type Catalog = { document: CatalogDocument; slugs: ReadonlySet<string>; statements: Statements };

export type CatalogOptions = { schema: string; unprotected: 'skip' | 'serve'; grant: boolean };

export type CatalogKeeper = {
  readonly current: Catalog;
  /** Looks at the tables again. Calls while it looks share one further look. */
  refresh: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Keeps the catalog current: after DDL, after a reconnect (what was missed meanwhile is not known), and on demand.
 * While the database is away the last version stays in use.
 */
export async function keepCatalog(owner: postgres.Sql, listenUrl: string, options: CatalogOptions, log: Logger): Promise<CatalogKeeper> {
  let current = await look(owner, options);
  let looking: Promise<void> | undefined;
  let again = false;
  const listener = postgres(listenUrl, { max: 1, onnotice: () => undefined, connection: { application_name: 'rowgate listen' } });
  await listener.listen('service_catalog', payload => { if (payload !== String(current.document.version)) later(); }, later);

  return { get current() { return current; }, refresh, close: () => listener.end({ timeout: 1 }) };

  function refresh(): Promise<void> {
    if (looking !== undefined) again = true;
    return looking ??= lookUntilQuiet().finally(() => { looking = undefined; });
  }

  async function lookUntilQuiet(): Promise<void> {
    do {
      again = false;
      const found = await look(owner, options);
      if (found.document.version !== current.document.version) {
        current = found;
        log.info({ version: found.document.version, collections: found.document.collections.length }, 'catalog reloaded');
      }
    } while (again);
  }

  function later(): void {
    refresh().catch((error: unknown) => log.warn({ err: error }, 'the catalog could not be reloaded; the last version stays in use'));
  }
}

/** Any number that other users of the database are unlikely to lock. */
const LOCK = 7_261_946_174;

async function look(owner: postgres.Sql, { schema, unprotected, grant }: CatalogOptions): Promise<Catalog> {
  const document = await owner.begin(async transaction => {
    await transaction`select pg_advisory_xact_lock(${LOCK})`;
    await transaction`select service.introspect(${schema}, ${unprotected})`;
    if (grant) await transaction`select service.grant_served()`;
    const [row] = await transaction<{ document: CatalogDocument }[]>`select service.catalog_document() as document`;
    return row?.document;
  });
  if (document === undefined) throw new Error('service.catalog_document returned nothing');
  return {
    document,
    slugs: new Set(document.collections.map(({ slug }) => slug)),
    statements: createStatements(owner, document.restrictingRoles),
  };
}
