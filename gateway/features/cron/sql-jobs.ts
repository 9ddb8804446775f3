import type postgres from 'postgres';
import type { AsService } from '../../database/as-service.ts';
import { BootError } from '../../error.ts';
import { databaseFailureOf } from './failure.ts';
import type { CronJob } from '../cron-job.ts';
import type { CronsSetting } from './settings-file.ts';

const TIMEOUT = 300;

/** @throws BootError with a line for each schedule, zone and function that cannot be used. */
export async function requireSoundCrons(owner: postgres.Sql, crons: CronsSetting): Promise<void> {
  const problems = await owner<{ path: string; problem: string }[]>`
    select path, problem from service_private.cron_problems(${JSON.stringify(crons)}::text::jsonb)`;
  if (problems.length === 0) return;
  throw new BootError(problems.map(({ path, problem }) => `crons.${path} of the settings file: ${problem}.`).join('\n'));
}

/** The jobs of the settings file, whose handlers are functions of the project in SQL. */
export async function sqlJobs(owner: postgres.Sql, asService: AsService, crons: CronsSetting): Promise<CronJob[]> {
  const names = [...new Set(Object.values(crons).map(({ function: name }) => name))];
  const found = await owner<{ name: string; call: string }[]>`
    select n.name, f.call
    from jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb) n (name)
    cross join lateral service_private.service_function(n.name) f`;
  const calls = new Map(found.map(({ name, call }) => [name, call]));
  return Object.entries(crons).map(([id, { function: name, ...setting }]) => ({
    timezone: 'UTC', enabled: true, timeoutSeconds: TIMEOUT, ...setting, id,
    run: (context, signal, log) =>
      asService({ call: calls.get(name) ?? '', argument: JSON.stringify(context), timeout: 0, signal, notice: log })
        .catch((error: unknown) => { throw new Error(databaseFailureOf(error)); }),
  }));
}
