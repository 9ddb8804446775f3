import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { CatalogKeeper } from './catalog.ts';
import { coalesced } from './coalesced.ts';
import { isLockTimeout } from '../database/sqlstate.ts';
import { inTransaction } from '../database/transaction.ts';

/** Milliseconds that a table's writers may have to wait for its triggers, and until a table that was busy is tried again. */
const PATIENCE = 500;
const LATER = 5_000;

/** A trigger to make or drop. `problem`: why this start does not run the statement; without a statement nothing can be done. */
export type PlannedTrigger = { name: string; statement: string | null; problem: string | null };
export type TriggerPlan = {
  plan: () => Promise<readonly PlannedTrigger[]>;
  /** Finishes the sentence that begins with the name of a table that lacks its triggers. */
  consequence: string;
};
export type TriggerKeeper = { owner: postgres.Sql; catalog: CatalogKeeper; mayChange: boolean; log: Logger };

/**
 * Gives tables the triggers of a plan: now, and after each change of the catalog. Tables that cannot have them are named, once, with the
 * remedy.
 */
export async function keepTriggers({ owner, catalog, mayChange, log }: TriggerKeeper, { plan, consequence }: TriggerPlan): Promise<void> {
  const named = new Set<string>();
  const look = coalesced(lookOnce);
  catalog.onLook(() => look().catch(failed));
  await look();

  function failed(error: unknown): void {
    log.warn({ err: error }, 'the triggers of tables could not be checked');
  }

  async function lookOnce(): Promise<void> {
    let isBusy = false;
    for (const { name, statement, problem } of await plan()) {
      const trouble = problem ?? (mayChange ? await done(statement ?? '') : 'this start may change nothing (SERVICE_MIGRATE_ON_BOOT)');
      if (trouble === BUSY) isBusy = true;
      else if (trouble !== undefined) nameOnce(name, trouble, statement);
    }
    // A look of the catalog, so that all who follow it hear of the triggers.
    if (isBusy) void setTimeout(LATER, undefined, { ref: false }).then(catalog.refresh).catch(failed);
  }

  /** Each table by itself, so that the writers of one wait for no other. */
  async function done(statement: string): Promise<string | undefined> {
    try {
      await inTransaction(owner, 'read write', transaction => transaction.unsafe(patiently(statement)).simple());
    } catch (error) {
      return isLockTimeout(error) ? BUSY : (error as Error).message;
    }
    return undefined;
  }

  function nameOnce(name: string, trouble: string, statement: string | null): void {
    const told = `${name} ${consequence}: ${trouble}.${statement === null ? '' : ` What its owner can do:\n${statement}`}`;
    if (named.has(told)) return;
    named.add(told);
    log.warn(told);
  }
}

const BUSY = 'busy';

/** For a transaction: the statement gives up where a lock is not given soon. */
export function patiently(statement: string): string {
  return `set local lock_timeout = ${PATIENCE};\n${statement}`;
}
