import type { Config } from '../config.ts';
import type { Destination } from './destination.ts';
import { dumpOf, isBackupOf, isDump, rolesOf, timeOf } from './names.ts';

const DAY = 86_400_000;

/** Deletes backups of this database that are older than they are kept, but never the newest ones. @returns the names of their dumps */
export async function prune(
  destination: Destination, database: string, { backupRetentionDays: days, backupKeepMinimum: least }: Config,
): Promise<string[]> {
  if (days === 0) return [];
  const dumps = (await destination.list()).map(({ name }) => name).filter(name => isBackupOf(database, name)).sort().reverse();
  const before = Date.now() - days * DAY;
  const old = dumps.slice(Math.max(1, least)).filter(name => (timeOf(name)?.getTime() ?? Infinity) < before);
  for (const name of old) {
    await destination.remove(name);
    await destination.remove(rolesOf(name));
  }
  return old;
}

/** Deletes what backups left that were begun and never ended. */
export async function sweep(destination: Destination, database: string): Promise<void> {
  await destination.sweep();
  const found = await destination.list();
  const dumps = new Set(found.map(({ name }) => name).filter(isDump));
  for (const { name, modified } of found) {
    const dump = dumpOf(name);
    const isLost = !isDump(name) && !dumps.has(dump) && isBackupOf(database, dump);
    if (isLost && Date.now() - modified.getTime() > DAY) await destination.remove(name);
  }
}
