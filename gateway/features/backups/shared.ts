import { isRaised, raisedStatus } from '../../database/sqlstate.ts';
import { BootError } from '../../error.ts';
import type { CronJob } from '../cron-job.ts';
import type { Figure } from '../../metrics/families.ts';
import type { SharedContext } from '../feature.ts';
import { runsSchedules } from '../role.ts';
import { openDestination } from './open-destination.ts';
import { newestBackup } from './inventory.ts';
import { backupJob, runBackup } from './job.ts';
import { sweep } from './prune.ts';
import { backupsSettings } from './settings.ts';

const AN_HOUR = 3_600_000;
/** Milliseconds for which the newest backup is not looked for again: to list a bucket costs money. */
const KNOWN = 60_000;

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

/** How old the newest backup is, made by the schedule or by hand: the destination tells. It is left out while that cannot be read. */
export function figures({ config, database: { owner } }: SharedContext): () => Promise<Figure[]> {
  if (config.backupDestination === undefined) return () => Promise.resolve([]);
  let known: { at: number; since: number } | undefined;
  return async () => {
    if (known === undefined || Date.now() - known.since > KNOWN) known = { at: await newest(), since: Date.now() };
    return [{ name: 'service_backup_age_seconds', value: (Date.now() - known.at) / 1_000 }];
  };

  async function newest(): Promise<number> {
    const destination = await openDestination(config);
    try {
      return destination === undefined ? -Infinity : await newestBackup(destination, await ownName(owner));
    } finally {
      destination?.close();
    }
  }
}

async function ownName(owner: SharedContext['database']['owner']): Promise<string> {
  const [row] = await owner<{ name: string }[]>`select current_database() as name`;
  return row?.name ?? '';
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
    if (destination !== undefined) await sweep(destination, await ownName(database.owner));
  }
}
