import { isRaised, raisedStatus } from '../../database/sqlstate.ts';
import { BootError } from '../../error.ts';
import type { CronJob } from '../cron-job.ts';
import type { SharedContext } from '../feature.ts';
import { runsSchedules } from '../role.ts';
import { openDestination } from './open-destination.ts';
import { backupJob, runBackup } from './job.ts';
import { sweep } from './prune.ts';
import { backupsSettings } from './settings.ts';

const AN_HOUR = 3_600_000;

/** @throws BootError for a schedule that cannot be read. */
export async function prepare({ config, database: { owner } }: SharedContext): Promise<void> {
  if (config.backupSchedule === undefined) return;
  await owner`select service.cron_next(${config.backupSchedule}, 'UTC')`.catch((error: unknown) => {
    if (!isRaised(error) && raisedStatus(error) === undefined) throw error;
    throw new BootError(`${backupsSettings.backupSchedule.name}: ${(error as Error).message}`, { cause: error });
  });
}

export function crons({ config, database }: SharedContext): CronJob[] {
  const job = backupJob(config);
  return job === undefined ? [] : [{ ...job, run: (_, signal) => runBackup(config, database, signal) }];
}

/** Deletes what killed backups left, within a day, whenever the next one is due. @returns what ends that */
export async function work({ config, database, log }: SharedContext): Promise<() => Promise<void>> {
  const destination = runsSchedules(config) ? await openDestination(config) : undefined;
  if (destination === undefined) return () => Promise.resolve();
  const clean = (): void => {
    sweepOwn().catch((error: unknown) => { log.warn({ err: error }, 'the rest of broken backups could not be deleted'); });
  };
  const timer = setInterval(clean, AN_HOUR).unref();
  clean();
  return () => {
    clearInterval(timer);
    destination.close();
    return Promise.resolve();
  };

  async function sweepOwn(): Promise<void> {
    const [row] = await database.owner<{ name: string }[]>`select current_database() as name`;
    if (row !== undefined && destination !== undefined) await sweep(destination, row.name);
  }
}
