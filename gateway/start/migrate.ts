import type postgres from 'postgres';
import { exclusively } from '../database/exclusive.ts';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import { isUnknownName } from '../database/sqlstate.ts';
import { BootError } from '../error.ts';
import type { SchemaFiles } from './schema-files.ts';
import { findUpgrade, stepsOf, type Step, type Upgrade } from './upgrade.ts';

/**
 * Brings the service's schema up to date in one transaction, under a lock for which other gateways wait: each migration
 * once, in order, then each file of sql/ and policies/ that the database has with another text or not at all.
 * @returns what was done; undefined when there was nothing to do.
 * @throws BootError for a database that was migrated by other files, or by a newer version.
 */
export async function migrate(owner: postgres.Sql, files: SchemaFiles): Promise<Upgrade | undefined> {
  if (await findUpgrade(owner, files) === undefined) return undefined; // the common case needs no lock and no transaction
  const upgrade = () => exclusively(owner, async transaction => {
    const found = await findUpgrade(transaction, files); // another gateway may have been faster
    if (found) for (const step of stepsOf(found)) await run(transaction, step);
    return found;
  });
  // service_user is of all databases: while the migration of another commits it, it is there already and not yet known here.
  return retryOnConflict(upgrade, isUnknownName);
}

async function run(transaction: postgres.TransactionSql, { title, statement }: Step): Promise<void> {
  try {
    await transaction.unsafe(statement);
  } catch (error) {
    throw Object.assign(error as Error, { message: `${title}: ${(error as Error).message}` });
  }
}

/** For a boot that may not change anything. @throws BootError naming what the database lacks. */
export async function requireMigrated(owner: postgres.Sql, files: SchemaFiles): Promise<void> {
  const upgrade = await findUpgrade(owner, files);
  if (upgrade === undefined) return;
  const migrations = upgrade.migrations.map(({ name }) => name);
  const lacks = migrations.length > 0
    ? `lacks ${migrations.join(', ')} of the service's migrations`
    : `has another text of ${upgrade.sources.map(({ path }) => path).join(', ')}`;
  throw new BootError(`The database ${lacks}, and SERVICE_MIGRATE_ON_BOOT=none forbids applying them.`);
}
