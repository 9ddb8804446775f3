import { type Logger } from 'pino';
import type postgres from 'postgres';
import { type CatalogKeeper } from '../catalog/catalog.ts';
import { inTransaction } from '../database/transaction.ts';
import { isLockTimeout } from '../database/sqlstate.ts';
import { ApiError } from '../error.ts';
import { type SchemaDoor } from '../features/schema/options.ts';
import { openOwner, type OwnerOptions } from './owner.ts';
import { openMigrations } from './project.ts';
import { planFiles, replaceFiles } from './provision.ts';

export type SchemaDoorOptions = OwnerOptions & { projectMigrations: string; mayChange: boolean };

/** Any number that other users of the database are unlikely to lock; not that of who defines or provisions, which an edit does as well. */
const EDITING = 7_261_946_174;
/** Milliseconds that one edit waits for another. */
const PATIENCE = 30_000;

/** What edits of the schema ask of the database, each by a connection of its own, so that nobody waits for it. */
export function openSchemaDoor(options: SchemaDoorOptions, catalog: () => CatalogKeeper, log: Logger): SchemaDoor {
  const { ownerUrl, projectMigrations, mayChange } = options;

  async function byItself<T>(ask: (owner: postgres.Sql) => Promise<T>): Promise<T> {
    const owner = openOwner(options, 1);
    try {
      return await ask(owner);
    } finally {
      await owner.end({ timeout: 1 });
    }
  }

  return {
    plan: files => byItself(owner => planFiles(owner, files)),
    apply: mayChange ? (files, before) => byItself(async owner => {
      await replaceFiles(owner, files, before, openMigrations(owner, ownerUrl, projectMigrations, log), log);
      await catalog().catchUp().catch(() => catalog().refresh());
      const [row] = await owner<{ version: string }[]>`select schema_version as version from service.catalog`;
      return row?.version ?? '';
    }) : undefined,
    exclusively: edit => byItself(owner => alone(owner, edit)),
  };
}

/** An edit fails outside the transaction, which takes a connection that was lost for its own. */
async function alone<T>(owner: postgres.Sql, edit: () => Promise<T>): Promise<T> {
  const [outcome] = await inTransaction(owner, 'read write', async transaction => {
    await transaction.unsafe(`set local lock_timeout = ${PATIENCE}; set local idle_in_transaction_session_timeout = 0`);
    await transaction.unsafe(`select pg_advisory_xact_lock(${EDITING})`).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      throw new ApiError(409, 'CONFLICT', 'Another edit of the schema is under way.', undefined, { cause: error });
    });
    return Promise.allSettled([edit()]);
  });
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
