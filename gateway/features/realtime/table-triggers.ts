import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { CatalogKeeper } from '../../catalog/catalog.ts';
import { coalesced } from '../../catalog/coalesced.ts';
import type { ChangeSource } from './changes.ts';
import { isLockTimeout } from '../../database/sqlstate.ts';
import { inTransaction } from '../../database/transaction.ts';

/** Milliseconds that a table's writers may have to wait for its triggers, and until a table that was busy is tried again. */
const PATIENCE = 500;
const LATER = 5_000;

type Planned = { name: string; statement: string | null; problem: string | null };

/**
 * Gives served tables the triggers that announce their changes: now, and after each change of the catalog. Tables that cannot have them are
 * named, once, with the remedy.
 */
export async function watchTables(owner: postgres.Sql, catalog: CatalogKeeper, mayChange: boolean, log: Logger): Promise<void> {
  const named = new Set<string>();
  const look = coalesced(lookOnce);
  catalog.onLook(() => look().catch(failed));
  await look();

  function failed(error: unknown): void {
    log.warn({ err: error }, 'the change triggers could not be checked');
  }

  async function lookOnce(): Promise<void> {
    const planned = await owner<Planned[]>`select name, statement, problem from service.plan_changes()`;
    let isBusy = false;
    for (const { name, statement, problem } of planned) {
      const trouble = problem ?? (mayChange ? await done(statement ?? '') : 'this start may change nothing (SERVICE_MIGRATE_ON_BOOT)');
      if (trouble === BUSY) isBusy = true;
      else if (trouble !== undefined) nameOnce(name, trouble, statement);
    }
    // A look of the catalog, so that subscriptions hear of it.
    if (isBusy) void setTimeout(LATER, undefined, { ref: false }).then(catalog.refresh).catch(failed);
  }

  /** Each table by itself, so that the writers of one wait for no other. */
  async function done(statement: string): Promise<string | undefined> {
    try {
      const patient = `set local lock_timeout = ${PATIENCE};\n${statement}`;
      await inTransaction(owner, 'read write', transaction => transaction.unsafe(patient).simple());
    } catch (error) {
      return isLockTimeout(error) ? BUSY : (error as Error).message;
    }
    return undefined;
  }

  function nameOnce(name: string, trouble: string, statement: string | null): void {
    const told = `${name} cannot be subscribed to: ${trouble}.${statement === null ? '' : ` What its owner can do:\n${statement}`}`;
    if (named.has(told)) return;
    named.add(told);
    log.warn(told);
  }
}

const BUSY = 'busy';

/** The other way round, where realtime is off. */
export async function leaveTables(owner: postgres.Sql): Promise<void> {
  const planned = await owner<{ statement: string }[]>`select statement from service_private.drop_change_triggers()`;
  for (const { statement } of planned) {
    await owner.unsafe(`set local lock_timeout = ${PATIENCE};\n${statement}`).simple().catch(() => undefined);
  }
}

export async function changeSources(owner: postgres.Sql): Promise<ChangeSource[]> {
  return owner<ChangeSource[]>`
    select collection, joined, relation::bigint::float8 as relation, name, key_type as "keyType", told from service.change_sources()`;
}
