import type { Logger } from 'pino';
import type { SharedContext, WorkContext } from '../feature.ts';
import { isServed, runsSchedules } from '../role.ts';
import type { CronJob, Definition } from '../cron-job.ts';
import { fileJobs } from './file-jobs.ts';
import { openRunner } from './runner.ts';
import { openScheduler } from './scheduler.ts';
import { requireSoundCrons, sqlJobs } from './sql-jobs.ts';
import { createCronStore, type CronStore } from './store.ts';
import { CRON_JOBS, TRIGGER } from './topics.ts';

/** Milliseconds that runs under way get at a shutdown. */
const GRACE = 10_000;
/** Milliseconds between two looks at leases whose gateways are gone: they are free within ten seconds. */
const LOOK = 5_000;
const AN_HOUR = 3_600_000;

export async function prepare({ config, database }: SharedContext): Promise<void> {
  await requireSoundCrons(database.owner, config.settingsFile.crons ?? {});
}

/**
 * Schedules the jobs of the settings file, of files and of the service for all processes of the start, and runs those that are triggered.
 * @returns what ends that, and the runs under way
 */
export async function work({ config, database, bus, files, crons, log }: WorkContext): Promise<() => Promise<void>> {
  if (!runsSchedules(config) && !isServed({}, config)) return () => Promise.resolve();
  const { owner, asService, presence, jobs: ask } = database;
  const settings = config.settingsFile.crons ?? {};
  const inFiles = await fileJobs(owner, files.crons, settings);
  for (const { id, reason } of inFiles.rejected) log.warn({ cron: id }, `a scheduled job of a file cannot be used: ${reason}`);
  const jobs = [...await sqlJobs(owner, asService, settings), ...inFiles.jobs, ...crons];
  const store = createCronStore(ask);
  const definitions = jobs.map(definitionOf);
  const { id: first } = presence;
  await store.define(definitions, first);
  const runner = openRunner({ store, presence, log });
  const scheduler = openScheduler({ jobs, store, runner, log, schedules: runsSchedules(config) });
  bus.answer(TRIGGER, scheduler.trigger);
  bus.publish(CRON_JOBS, { jobs: definitions, rejected: inFiles.rejected, skipped: files.crons.skipped });
  const unfollow = presence.follow({
    begun: id => { if (id !== first) store.define(definitions, id).catch(unkept(log)); },
    lost: () => undefined,
  });
  const stopKeeping = jobs.length === 0 ? () => undefined : keep(store, log);
  const renewing = setInterval(() => { store.define(definitions, presence.id).catch(unkept(log)); }, AN_HOUR).unref();

  return async () => {
    scheduler.stop();
    stopKeeping();
    clearInterval(renewing);
    unfollow();
    await runner.close(GRACE);
  };
}

/** Without what JSON cannot carry. */
function definitionOf(job: CronJob): Definition {
  return JSON.parse(JSON.stringify(job)) as Definition;
}

/** Keeps the tables of scheduled jobs small, and free of what gateways left behind. @returns what ends that. */
function keep(store: CronStore, log: Logger): () => void {
  let isAway = false;
  const looking = setInterval(() => { void look(); }, LOOK).unref();
  const sweeping = setInterval(() => { sweep().catch(unkept(log)); }, AN_HOUR).unref();
  void look();
  sweep().catch(unkept(log));
  return () => {
    clearInterval(looking);
    clearInterval(sweeping);
  };

  /** A database that is away is told of once. */
  async function look(): Promise<void> {
    try {
      await store.endLost();
      isAway = false;
    } catch (error) {
      if (!isAway) unkept(log)(error);
      isAway = true;
    }
  }

  async function sweep(): Promise<void> {
    await store.sweepClaims();
    if (!await store.claimHour()) return;
    while (await store.sweepLogs() > 0);
  }
}

function unkept(log: Logger): (error: unknown) => void {
  return error => { log.warn({ err: error }, 'the tables of scheduled jobs cannot be kept'); };
}
