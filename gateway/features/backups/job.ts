import { ownerConnection } from '../../database/connection.ts';
import { BootError } from '../../error.ts';
import type { Config } from '../config.ts';
import type { CronJob } from '../cron-job.ts';
import type { OwnDatabase } from '../context.ts';
import { makeBackup } from './backup.ts';
import { openDestination } from './open-destination.ts';

/** The schedule that an admin switches on where BACKUP_SCHEDULE names none. */
const NIGHTLY = '0 3 * * *';

/** The job as the admin routes show it; undefined where there is nowhere to back up to. */
export function backupJob({ backupDestination, backupSchedule }: Config): Omit<CronJob, 'run'> | undefined {
  if (backupDestination === undefined) return undefined;
  return {
    id: 'service.backup', name: 'Backup of the database', schedule: backupSchedule ?? NIGHTLY, timezone: 'UTC',
    enabled: backupSchedule !== undefined, timeoutSeconds: null,
  };
}

/** Backs up on a connection of its own, which is open as long as that takes. */
export async function runBackup(config: Config, { ownerUrl }: OwnDatabase, signal: AbortSignal): Promise<string> {
  const destination = await openDestination(config);
  if (destination === undefined) throw new BootError('There is nowhere to back up to.');
  const options = { connectTimeout: config.dbPoolConnectTimeout, applicationName: 'rowgate backup' };
  const owner = ownerConnection(ownerUrl, options, 1);
  try {
    return JSON.stringify(await makeBackup({ owner, config, destination, signal }));
  } finally {
    destination.close();
    await owner.end({ timeout: 1 });
  }
}
