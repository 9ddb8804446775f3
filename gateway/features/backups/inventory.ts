import type { Destination } from './destination.ts';
import { isBackupOf, isDump, rolesOf, timeOf } from './names.ts';

/** A backup as the admin routes show it. */
export type Listed = {
  key: string; name: string; sizeBytes: number; createdAt: string; destinationKind: Destination['kind']; globalsKey?: string;
};

/** Backups that are shown at most. */
const MOST = 1_000;

/** The newest backups, the newest first. Dumps of other programs count by the time of their file. */
export async function listBackups({ kind, keyOf, list }: Destination): Promise<Listed[]> {
  const found = await list();
  const names = new Set(found.map(({ name }) => name));
  return found.filter(({ name }) => isDump(name))
    .map(file => ({ ...file, at: timeOf(file.name) ?? file.modified }))
    .sort((one, other) => other.at.getTime() - one.at.getTime() || (one.name < other.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ key, name, size, at }) => ({
      key, name, sizeBytes: size, createdAt: at.toISOString(), destinationKind: kind,
      ...(names.has(rolesOf(name)) && { globalsKey: keyOf(rolesOf(name)) }),
    }));
}

/** The time of the newest backup of this database, in milliseconds; -Infinity without one. */
export async function newestBackup({ list }: Destination, database: string): Promise<number> {
  const names = (await list()).map(({ name }) => name).filter(name => isBackupOf(database, name));
  return Math.max(...names.map(name => timeOf(name)?.getTime() ?? -Infinity));
}
