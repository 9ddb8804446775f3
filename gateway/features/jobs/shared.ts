import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import type { SharedContext, WorkContext } from '../feature.ts';
import { runsJobs } from '../role.ts';
import { fileHandlers } from './file-handlers.ts';
import { CONCURRENCY, type JobsSetting } from './settings-file.ts';
import { findSqlHandlers, sqlHandlers } from './sql-handlers.ts';
import { openWorker } from './worker.ts';

/** Milliseconds that jobs under way have when the service ends. */
const LAST_WORDS = 10_000;

const HOUR = 3_600_000;
const MOST_SWEPT = 1_000;

export async function prepare({ config, database: { owner } }: SharedContext): Promise<void> {
  await findSqlHandlers(owner, config.settingsFile.jobs ?? {});
}

export async function work({ config, database, handlers, files, log }: WorkContext): Promise<() => Promise<void>> {
  if (!runsJobs(config)) return () => Promise.resolve();
  const settings = config.settingsFile.jobs ?? {};
  const { owner, jobs: ask, asService, presence, listen } = database;
  const own = sqlHandlers(await findSqlHandlers(owner, settings), settings, asService);
  const { concurrency = CONCURRENCY, pollIntervalMs = 2_000, visibilityTimeoutMs = 300_000, maxAttempts = 3 } = settings;
  const worker = await openWorker({
    ask, listen, presence, log, concurrency, maxAttempts, pollInterval: pollIntervalMs, visibilityTimeout: visibilityTimeoutMs,
    handlers: { ...fileHandlers(files.jobs, log), ...own, ...handlers },
  });
  const endSweeping = sweepHourly(ask, settings, log);
  return async () => {
    endSweeping();
    await worker.close(LAST_WORDS);
  };
}

/** Jobs that were over long ago go, so many in one statement that none waits for it. */
function sweepHourly(ask: FairExecutor, { succeededDays = 3, failedDays = 30 }: JobsSetting, log: Logger): () => void {
  const timer = setInterval(() => void sweep(), HOUR).unref();
  void sweep();
  return () => { clearInterval(timer); };

  async function sweep(): Promise<void> {
    try {
      for (let swept = MOST_SWEPT; swept === MOST_SWEPT;) {
        const [row] = await ask('sweep', sql => sql<{ swept: number }[]>`
          select service.job_sweep(make_interval(days => ${succeededDays}), make_interval(days => ${failedDays}), ${MOST_SWEPT}) as swept`);
        swept = row?.swept ?? 0;
      }
    } catch (error) {
      log.warn({ err: error }, 'jobs could not be swept');
    }
  }
}
