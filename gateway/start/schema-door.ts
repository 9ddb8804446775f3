import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { CatalogKeeper } from '../catalog/catalog.ts';
import { AnswerTimeout, withDeadline } from '../database/with-deadline.ts';
import { orUnavailable, unavailable } from '../database/refusal.ts';
import { inTransaction, isBrokenSocket } from '../database/transaction.ts';
import { isLockTimeout } from '../database/sqlstate.ts';
import { createTurnQueue } from '../database/fair-executor.ts';
import { ApiError, BootError } from '../error.ts';
import { ClientLeft } from '../http/client-left.ts';
import type { Asker, SchemaDoor } from '../features/schema/options.ts';
import { openOwner, type OwnerOptions } from './owner.ts';
import { openMigrations } from './project.ts';
import { planFiles, rehearseFiles, replaceFiles } from './provision.ts';
import { useStorageRules, type StorageRules } from '../features/storage/rules.ts';

export type SchemaDoorOptions = OwnerOptions & { projectMigrations: string; mayChange: boolean; storage: StorageRules };

/**
 * An arbitrary lock number that other users of the database are unlikely to use; not that of defining or provisioning, which an edit does
 * as well.
 */
const EDITING = 7_261_946_174;
/** Milliseconds that one edit waits for another gateway's. */
const PATIENCE = 30_000;
/** Milliseconds for one plan. 500 collections take 3 s. */
const PLANNING = 30_000;
/** Milliseconds after which a server that did not cancel a plan by itself is given up. */
const SILENCE = 2_000;
/** Plans, and edits, that wait for their turn. */
const WAITING = 100;

/**
 * The database work of schema edits. Plans take turns on one connection, and so do edits, which have two while they are applied; each is
 * opened for its turn and closed after it, so that nothing of a session is left to the next.
 */
export function openSchemaDoor(
  options: SchemaDoorOptions, catalog: () => CatalogKeeper, log: Logger, deadline = PLANNING,
): SchemaDoor {
  const { ownerUrl, projectMigrations, mayChange, storage } = options;
  const planning = createTurnQueue({ size: 1, waiting: WAITING });
  const editing = createTurnQueue({ size: 1, waiting: WAITING });

  async function byItself<T>(ask: (owner: postgres.Sql) => Promise<T>): Promise<T> {
    const owner = openOwner(options, 1);
    try {
      return await ask(owner);
    } catch (error) {
      throw isBrokenSocket(error) || error instanceof AnswerTimeout ? unavailable(error) : orUnavailable(error);
    } finally {
      await owner.end({ timeout: 1 });
    }
  }

  return {
    plan: (files, { uid, signal, mayEvaluate }) => planning(uid, () => byItself(owner => withDeadline(
      inTransaction(owner, 'read write', async transaction => {
        await transaction.unsafe(`set local statement_timeout = ${deadline}${mayEvaluate ? '' : '; set local rowgate.trials = off'}`);
        return planFiles(transaction, files, signal);
      }), deadline + SILENCE)), signal).catch(unlessLeft(signal)),
    rehearse: async files => {
      if (!mayChange) return;
      await byItself(async owner => {
        if (await openMigrations(owner, ownerUrl, projectMigrations, log).arePending()) {
          throw new BootError('The project has migrations that the database lacks. The schema can be edited once a start has run them.');
        }
        await rehearseFiles(owner, files, transaction => useStorageRules(transaction, storage));
      });
    },
    apply: mayChange ? (files, before) => byItself(async owner => {
      await replaceFiles(owner, files, before, openMigrations(owner, ownerUrl, projectMigrations, log), log);
      await catalog().catchUp().catch(() => catalog().refresh());
      const [row] = await owner<{ version: string }[]>`select schema_version as version from service.catalog`;
      return row?.version ?? '';
    }) : undefined,
    exclusively: (edit, { uid, signal }) =>
      editing(uid, () => byItself(owner => alone(owner, edit)), signal).catch(unlessLeft(signal)),
  };
}

/** A client that left is told nothing, and its request is no failure of the server. */
function unlessLeft(signal: Asker['signal']): (error: unknown) => never {
  return error => { throw signal.aborted ? new ClientLeft() : error; };
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
